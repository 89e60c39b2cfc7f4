import path from 'node:path';
import type { NextConfig } from 'next';

const config: NextConfig = {
  output: 'standalone',
  outputFileTracingRoot: path.join(import.meta.dirname, '../..'),
  // The standalone folder starts through our own server, which stands in front of Next (server/main.ts).
  outputFileTracingIncludes: { '/*': ['./server/*.ts', './.next/static/**/*'] },
  outputFileTracingExcludes: { '/*': ['./server/*.spec.ts'] },
  poweredByHeader: false,
  // Socket.IO's path ends in a slash; a redirect would break its handshake.
  skipTrailingSlashRedirect: true,
  reactStrictMode: true,
  experimental: {
    authInterrupts: true,
    optimizePackageImports: ['@mantine/core', '@mantine/hooks', '@mantine/notifications', '@mantine/modals'],
  },
};

export default config;

import path from 'node:path';
import type { NextConfig } from 'next';

/** For every answer; the content security policy carries a nonce and comes from src/proxy.ts. */
const SECURITY_HEADERS = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  {
    key: 'Permissions-Policy',
    value: 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  },
];

const config: NextConfig = {
  output: 'standalone',
  outputFileTracingRoot: path.join(import.meta.dirname, '../..'),
  // The standalone folder starts through our own server, which stands in front of Next (server/main.ts).
  outputFileTracingIncludes: { '/*': ['./server/*.ts'] },
  outputFileTracingExcludes: { '/*': ['./server/*.spec.ts'] },
  poweredByHeader: false,
  // Socket.IO's path ends in a slash; a redirect would break its handshake.
  skipTrailingSlashRedirect: true,
  // There are no images to resize, so nobody gets to ask for it.
  images: { unoptimized: true },
  headers: async () => [{ source: '/:path*', headers: SECURITY_HEADERS }],
  experimental: {
    authInterrupts: true,
    optimizePackageImports: ['@mantine/core', '@mantine/hooks', '@mantine/notifications', '@mantine/modals'],
  },
};

export default config;

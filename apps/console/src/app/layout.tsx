import './mantine.css';
import './globals.css';
import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { NONCE_HEADER } from '../request-headers';
import { Appearance } from '../shell/appearance';

export const metadata: Metadata = {
  title: { template: '%s · Muster', default: 'Muster' },
  description: 'A control plane for compute that sits where you cannot reach it',
  robots: { index: false, follow: false },
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get(NONCE_HEADER) ?? '';
  return (
    <html lang="en" {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript nonce={nonce} defaultColorScheme="auto" />
      </head>
      <body>
        <Appearance nonce={nonce}>{children}</Appearance>
      </body>
    </html>
  );
}

import type { Metadata } from 'next';
import Link from 'next/link';
import { Standalone } from '../shell/standalone';

export const metadata: Metadata = { title: 'No such page' };

export default function NotFound() {
  return (
    <Standalone title="There is no such page">
      <p>It may have moved, or the address has a mistake in it.</p>
      <Link href="/">Go to the overview</Link>
    </Standalone>
  );
}

export default async function globalTeardown() {
  await globalThis.musterTestServer?.stop();
}

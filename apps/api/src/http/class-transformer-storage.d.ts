/** Not part of class-transformer's public face, but the only way to learn the types of nested messages. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}

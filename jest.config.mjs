/** Tests run on the TypeScript sources; only what is started as a process of its own runs from dist/. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{libs,apps,test}/**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/apps/console/.next', '<rootDir>/.muster'],
  moduleNameMapper: {
    '^@muster/(domain|protocol|data|sdk)/(.*)$': '<rootDir>/libs/$1/src/$2',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          target: 'es2023',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        // Nest and friends are ES modules, which Jest can require; our own sources become CommonJS.
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testTimeout: 60_000,
  maxWorkers: 2,
};

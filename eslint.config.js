import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import reactHooks from 'eslint-plugin-react-hooks';

const socketModules = ['http', 'https', 'http2', 'net', 'tls', 'dgram'];
const outward = [...socketModules, ...socketModules.map((name) => `node:${name}`), 'undici'];
const outwardWords = 'Outbound requests go through platform/guarded-fetch.';

export default defineConfig(
  globalIgnores(['out/', 'dist/', 'node_modules/', '.dev/']),
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        // The one project that contains every TypeScript file: each type is worked out once. tsc checks the parts
        // with their own settings.
        project: 'tests/tsconfig.json',
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/only-throw-error': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    // It has Cloudflare's types instead of Node's, so it is a project of its own.
    files: ['src-main/edge/worker/**'],
    languageOptions: { parserOptions: { project: 'src-main/edge/worker/tsconfig.json' } },
  },
  {
    // Every outbound request goes through the guarded fetch (docs/security.md): nothing else opens a socket outward.
    files: ['src-main/**'],
    // The command line's connection opens the server's own socket on this computer, by a path and nothing else.
    // The apps of the demo ask the demo's own server on loopback.
    ignores: [
      'src-main/platform/guarded-{fetch,connector}.ts',
      'src-main/cli/connection.ts',
      'src-main/demo/client.ts',
      // It runs at Cloudflare.
      'src-main/edge/worker/**',
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            ...outward.map((name) => ({ name, message: outwardWords, allowTypeImports: true })),
            { name: 'electron', importNames: ['net'], message: outwardWords },
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        ...['fetch', 'WebSocket', 'EventSource'].map((name) => ({ name, message: outwardWords })),
      ],
    },
  },
  {
    // The parts of the service are opened in order: none calls one that may not be open yet.
    files: ['src-main/service/**'],
    rules: { '@typescript-eslint/no-use-before-define': ['error', { functions: false, typedefs: false }] },
  },
  { files: ['src-renderer/**'], ...reactHooks.configs.flat['recommended-latest'] },
  {
    files: ['tests/**', '.ci/**'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Marked deprecated to stand out, says its docs; a client on loopback needs it.
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'oauth4webapi', name: 'allowInsecureRequests' }] },
      ],
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'no-console': 'off' },
  },
);

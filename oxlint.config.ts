import { defineConfig } from 'oxlint';

const socketModules = ['http', 'https', 'http2', 'net', 'tls', 'dgram'];
const outward = [...socketModules, ...socketModules.map((name) => `node:${name}`), 'undici'];
const renameWords =
  'On Windows, a file that another program reads denies it: use renamePatiently of storage/.';
const outwardWords = 'Outbound requests go through platform/guarded-fetch.';

/** The strict rules of typescript-eslint that need no types, and a few of ESLint's own. */
const syntaxRules = [
  'typescript/ban-ts-comment',
  'typescript/consistent-type-imports',
  'typescript/no-duplicate-enum-values',
  'typescript/no-dynamic-delete',
  'typescript/no-empty-object-type',
  'typescript/no-explicit-any',
  'typescript/no-extra-non-null-assertion',
  'typescript/no-extraneous-class',
  'typescript/no-invalid-void-type',
  'typescript/no-misused-new',
  'typescript/no-namespace',
  'typescript/no-non-null-asserted-nullish-coalescing',
  'typescript/no-non-null-asserted-optional-chain',
  'typescript/no-non-null-assertion',
  'typescript/no-require-imports',
  'typescript/no-this-alias',
  'typescript/no-unnecessary-type-constraint',
  'typescript/no-unsafe-declaration-merging',
  'typescript/no-unsafe-function-type',
  'typescript/no-wrapper-object-types',
  'typescript/prefer-as-const',
  'typescript/prefer-literal-enum-member',
  'typescript/prefer-namespace-keyword',
  'typescript/triple-slash-reference',
  'typescript/unified-signatures',
  'eqeqeq',
  'no-array-constructor',
  'no-console',
  'no-unused-expressions',
  'no-unused-vars',
  'no-useless-constructor',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
];

/** Its strict rules that do. */
const typedRules = [
  'typescript/await-thenable',
  'typescript/no-array-delete',
  'typescript/no-base-to-string',
  'typescript/no-confusing-void-expression',
  'typescript/no-deprecated',
  'typescript/no-duplicate-type-constituents',
  'typescript/no-floating-promises',
  'typescript/no-for-in-array',
  'typescript/no-generated-empty-object-type',
  'typescript/no-implied-eval',
  'typescript/no-meaningless-void-operator',
  'typescript/no-misused-promises',
  'typescript/no-misused-spread',
  'typescript/no-mixed-enums',
  'typescript/no-redundant-type-constituents',
  'typescript/no-unnecessary-boolean-literal-compare',
  'typescript/no-unnecessary-condition',
  'typescript/no-unnecessary-template-expression',
  'typescript/no-unnecessary-type-arguments',
  'typescript/no-unnecessary-type-assertion',
  'typescript/no-unnecessary-type-conversion',
  'typescript/no-unnecessary-type-parameters',
  'typescript/no-unsafe-argument',
  'typescript/no-unsafe-assignment',
  'typescript/no-unsafe-call',
  'typescript/no-unsafe-enum-comparison',
  'typescript/no-unsafe-member-access',
  'typescript/no-unsafe-return',
  'typescript/no-unsafe-unary-minus',
  'typescript/no-useless-default-assignment',
  'typescript/only-throw-error',
  'typescript/prefer-promise-reject-errors',
  'typescript/prefer-reduce-type-parameter',
  'typescript/prefer-return-this-type',
  'typescript/related-getter-setter-pairs',
  'typescript/require-await',
  'typescript/restrict-plus-operands',
  'typescript/restrict-template-expressions',
  'typescript/return-await',
  'typescript/unbound-method',
  'typescript/use-unknown-in-catch-callback-variable',
];

/** The recommended rules of React's own plugin. */
const reactRules = [
  'react/error-boundaries',
  'react/exhaustive-deps',
  'react/globals',
  'react/immutability',
  'react/incompatible-library',
  'react/preserve-manual-memoization',
  'react/purity',
  'react/refs',
  'react/rules-of-hooks',
  'react/set-state-in-effect',
  'react/set-state-in-render',
  'react/static-components',
  'react/unsupported-syntax',
  'react/use-memo',
  'react/void-use-memo',
];

export default defineConfig({
  plugins: ['typescript'],
  categories: { correctness: 'off' },
  // Each file's types come from the nearest tsconfig.json, or from a project that it refers to.
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  rules: {
    ...allOf(syntaxRules, 'error'),
    ...allOf(typedRules, 'error'),
    'typescript/restrict-plus-operands': [
      'error',
      {
        allowAny: false,
        allowBoolean: false,
        allowNullish: false,
        allowNumberAndString: false,
        allowRegExp: false,
      },
    ],
    'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
    'typescript/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
  },
  overrides: [
    {
      // Every outbound request goes through the guarded fetch (docs/security.md): nothing else opens a socket outward.
      files: ['src-main/**'],
      // The command line's connection opens the server's own socket on this computer, by a path and nothing else.
      // The apps of the demo ask the demo's own server on loopback.
      excludeFiles: [
        'src-main/platform/guarded-{fetch,connector}.ts',
        'src-main/command/connection.ts',
        'src-main/demo/client.ts',
        // It runs at Cloudflare.
        'src-main/mailbox/worker/**',
      ],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: [
              ...outward.map((name) => ({ name, message: outwardWords, allowTypeImports: true })),
              { name: 'electron', importNames: ['net'], message: outwardWords },
              { name: 'node:fs/promises', importNames: ['rename'], message: renameWords },
            ],
            patterns: [{ group: ['undici/*'], message: outwardWords }],
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
      files: ['src-main/app/**'],
      rules: { 'no-use-before-define': ['error', { functions: false, typedefs: false }] },
    },
    {
      files: ['src-renderer/**'],
      plugins: ['react'],
      rules: allOf(reactRules, 'error'),
    },
    {
      files: ['tests/**', 'scripts/**'],
      rules: {
        'no-console': 'off',
        'typescript/no-non-null-assertion': 'off',
        // Marked deprecated to stand out, says its docs; a client on loopback needs it.
        'typescript/no-deprecated': [
          'error',
          { allow: [{ from: 'package', package: 'oauth4webapi', name: 'allowInsecureRequests' }] },
        ],
      },
    },
    // They have no types.
    { files: ['**/*.{js,mjs,cjs}'], rules: { 'no-console': 'off', ...allOf(typedRules, 'off') } },
  ],
});

function allOf<Level extends 'error' | 'off'>(rules: readonly string[], level: Level): Record<string, Level> {
  return Object.fromEntries(rules.map((rule) => [rule, level]));
}

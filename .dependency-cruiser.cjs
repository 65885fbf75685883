/** The rules for imports, of docs/architecture.md. */
/** The features: none imports another. What two of them need is below them, or app/ passes it. */
const features = '(sign-in|phones|site|site-folder|mailbox|address|data|importing)';
/** The entry points, and the folders that only they import. */
const fronts =
  '(desktop|headless|headless-program|command|untrusted-worker|open-in-browser)\\.ts$|^src-main/(desktop|command|demo)/';
/** From the top down, below the entry points. A folder imports what comes after it, never what comes before. */
const layers = [
  'app',
  features.slice(1, -1),
  'mentions',
  'posts',
  'media',
  'untrusted',
  'http',
  'platform',
  'storage',
  'contract',
];
/** The modules that parse files of the owner's folder and archives, and the programs of the threads that run them. */
const parsers = [
  '^src-main/untrusted/front-matter\\.ts$',
  '^src-main/site-folder/(found-config|folder-jobs)\\.ts$',
  '^src-main/site-folder/adopted-(edit|post)\\.ts$',
  '^src-main/posts/files/front-matter-edit(-toml)?\\.ts$',
  '^src-main/posts/files/post-markdown\\.ts$',
  '^src-main/importing/(conversion|formats/(markdown|mastodon|microblog|twitter|wxr)|markdown/[a-z-]+)\\.ts$',
];
const threads = ['^src-main/app/document-jobs\\.ts$', '^src-main/importing/archive-jobs\\.ts$'];

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'contract-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src-main/contract/' },
      to: { pathNot: ['^src-main/contract/', '^node_modules/typebox'] },
    },
    {
      name: 'the-mailbox-imports-nothing-of-ours',
      comment:
        'It runs at Cloudflare. It names sites and networks as the server does, and speaks the same protocol.',
      severity: 'error',
      from: { path: '^src-main/mailbox/worker/' },
      to: {
        pathNot: [
          '^src-main/mailbox/worker/',
          '^cloudflare:workers$',
          '^src-main/platform/(address|crowd-limits|site-name|mailbox-protocol)\\.ts$',
        ],
      },
    },
    {
      name: 'what-the-mailbox-imports-is-small',
      severity: 'error',
      from: { path: '^src-main/platform/(address|crowd-limits|site-name|mailbox-protocol)\\.ts$' },
      to: { pathNot: ['^src-main/platform/address\\.ts$', '^node_modules/ipaddr\\.js/'] },
    },
    {
      name: 'the-mailbox-is-known-by-what-it-agreed-on',
      severity: 'error',
      from: { path: '^src-main/', pathNot: '^src-main/mailbox/worker/' },
      to: { path: '^src-main/mailbox/worker/' },
    },
    ...layers.slice(1).map((folders, above) => ({
      name: `${folders.includes('|') ? 'features' : folders}-do-not-look-up`,
      comment: 'Imports run downwards only: see docs/architecture.md.',
      severity: 'error',
      from: { path: `^src-main/(${folders})/` },
      to: { path: `^src-main/(${layers.slice(0, above + 1).join('|')})/|^src-main/${fronts}` },
    })),
    {
      name: 'a-feature-does-not-import-another',
      severity: 'error',
      from: { path: `^src-main/${features}/` },
      to: { path: `^src-main/${features}/`, pathNot: '^src-main/$1/' },
    },
    {
      name: 'only-the-worker-runs-the-jobs-of-threads',
      comment: 'Others know the types of the jobs only, and run them with untrusted/thread.ts.',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/untrusted-worker\\.ts$' },
      to: {
        path: '^src-main/(app/(page|document)|importing/archive|untrusted/pictures/picture)-jobs\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'one-module-chooses-sqlite',
      comment: 'Which of the two is used depends on the runtime. Others import storage/sqlite.ts.',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/storage/sqlite\\.ts$' },
      to: { path: '^(node:)?sqlite$|(^|/)@photostructure/sqlite(/|$)' },
    },
    {
      name: 'the-app-does-not-know-its-front-doors',
      comment: 'What their flags say comes in as its options.',
      severity: 'error',
      from: { path: '^src-main/app/' },
      to: { path: `^src-main/${fronts}` },
    },
    {
      name: 'nobody-but-the-desktop-knows-the-desktop',
      comment: 'The service and its parts work without one, and headless.ts has none.',
      severity: 'error',
      from: { path: '^src-main/', pathNot: '^src-main/desktop(/|\\.ts$)' },
      to: { path: '^src-main/desktop(/|\\.ts$)' },
    },
    {
      name: 'only-the-desktop-knows-electron',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/desktop(/|\\.ts$)' },
      to: { path: '(^|/)electron(/|$)', dependencyTypes: ['npm', 'npm-dev'] },
    },
    {
      name: 'renderer-sees-only-the-contract',
      severity: 'error',
      from: { path: '^src-renderer/' },
      to: { path: '^src-main/', pathNot: '^src-main/contract/' },
    },
    {
      name: 'main-does-not-import-renderer',
      severity: 'error',
      from: { path: '^src-main/' },
      to: { path: '^src-renderer/' },
    },
    {
      name: 'only-threads-parse-yaml-and-toml',
      comment:
        'A hostile file keeps these parsers busy for hours. posts/files/front-matter.ts only writes what Porchlight made itself.',
      severity: 'error',
      from: {
        path: '^src-',
        pathNot: [...parsers, '^src-main/posts/files/front-matter\\.ts$'],
      },
      to: { path: '^node_modules/(yaml|smol-toml)/' },
    },
    {
      name: 'only-threads-run-their-jobs',
      comment: 'The main thread knows the types of the jobs only, and runs them in threads (app/reading.ts).',
      severity: 'error',
      from: { path: '^src-', pathNot: [...parsers, ...threads] },
      to: { path: parsers, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'long-markdown-is-rendered-in-threads',
      comment: 'Others get a RenderMarkdown (posts/post-reading.ts).',
      severity: 'error',
      from: {
        path: '^src-',
        pathNot: [...threads, ...parsers, '^src-main/app/reading\\.ts$'],
      },
      to: { path: '^src-main/posts/markdown\\.ts$' },
    },
    {
      name: 'no-unresolvable',
      comment: 'Cloudflare has the module cloudflare:workers, and nobody else.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^cloudflare:workers$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tests/tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};

/** The house rules of docs/architecture.md: imports run one way. */
const features = '(indieauth|micropub|media|webmention|websub|site)';
/** The entry points, and how their flags are read. */
const fronts = '(desktop|headless|headless-program|cli|options|option-values|untrusted-worker)';
/** The modules that parse files of the owner's folder and archives, and the programs of the threads that run them. */
const parsers = [
  '^src-main/untrusted/front-matter\\.ts$',
  '^src-main/site/folder/(config-facts|found-config|script-config|folder-jobs)\\.ts$',
  '^src-main/site/folder/adopted-(config|edit|post)\\.ts$',
  '^src-main/site/folder/front-matter-edit(-yaml|-toml)?\\.ts$',
  '^src-main/site/folder/(markdown-source|toml-entries)\\.ts$',
  '^src-main/owner/importing/(archive-item|conversion|detect|formats/(markdown|mastodon|microblog|twitter|wxr)|markdown/[a-z-]+)\\.ts$',
];
const threads = ['^src-main/service/document-jobs\\.ts$', '^src-main/owner/importing/archive-jobs\\.ts$'];

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
      comment: 'It runs at Cloudflare. It names sites and networks as the server does.',
      severity: 'error',
      from: { path: '^src-main/edge/' },
      to: {
        pathNot: ['^src-main/edge/', '^cloudflare:workers$', '^src-main/platform/(address|site-name)\\.ts$'],
      },
    },
    {
      name: 'what-the-mailbox-imports-is-small',
      severity: 'error',
      from: { path: '^src-main/platform/(address|site-name)\\.ts$' },
      to: { pathNot: ['^src-main/platform/address\\.ts$', '^node_modules/ipaddr\\.js/'] },
    },
    {
      name: 'the-mailbox-is-known-by-what-it-agreed-on',
      severity: 'error',
      from: { path: '^src-main/', pathNot: '^src-main/edge/' },
      to: { path: '^src-main/edge/worker/' },
    },
    {
      name: 'foundation-does-not-look-up',
      comment: 'http, pictures, storage and platform may import contract and themselves, nothing above.',
      severity: 'error',
      from: { path: '^src-main/(http|pictures|storage|platform)/' },
      to: {
        path: `^src-main/(${features.slice(1, -1)}|post|mentions|untrusted|owner|service|desktop)/|^src-main/[^/]+\\.ts$`,
      },
    },
    {
      name: 'untrusted-is-above-http',
      comment: 'It parses what Porchlight did not write, for everything above it.',
      severity: 'error',
      from: { path: '^src-main/untrusted/' },
      to: {
        path: `^src-main/(${features.slice(1, -1)}|post|mentions|pictures|owner|service|desktop)/|^src-main/[^/]+\\.ts$`,
      },
    },
    {
      name: 'only-the-worker-runs-the-jobs-of-threads',
      comment: 'Others know the types of the jobs only, and run them with untrusted/thread.ts.',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/untrusted-worker\\.ts$' },
      to: {
        path: '^src-main/(service/(page|document)|owner/importing/archive|untrusted/pictures/picture)-jobs\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'storage-does-not-know-the-platform',
      comment: 'The platform may store things, so storage is below it.',
      severity: 'error',
      from: { path: '^src-main/storage/' },
      to: { path: '^src-main/platform/' },
    },
    {
      name: 'one-module-chooses-sqlite',
      comment: 'Which of the two is used depends on the runtime. Others import storage/sqlite.ts.',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/storage/sqlite\\.ts$' },
      to: { path: '^(node:)?sqlite$|(^|/)@photostructure/sqlite(/|$)' },
    },
    {
      name: 'posts-and-mentions-are-below-the-features',
      severity: 'error',
      from: { path: '^src-main/(post|mentions)/' },
      to: { path: `^src-main/(${features.slice(1, -1)}|owner|service|desktop)/|^src-main/[^/]+\\.ts$` },
    },
    {
      name: 'posts-do-not-know-mentions',
      severity: 'error',
      from: { path: '^src-main/post/' },
      to: { path: '^src-main/mentions/' },
    },
    {
      name: 'a-feature-does-not-import-another',
      severity: 'error',
      from: { path: `^src-main/${features}/` },
      to: { path: `^src-main/(${features.slice(1, -1)})/`, pathNot: '^src-main/$1/' },
    },
    {
      name: 'features-do-not-look-up',
      severity: 'error',
      from: { path: `^src-main/${features}/` },
      to: { path: '^src-main/(owner|service|desktop)/|^src-main/[^/]+\\.ts$' },
    },
    {
      name: 'owner-does-not-look-up',
      severity: 'error',
      from: { path: '^src-main/owner/' },
      to: { path: '^src-main/(service|desktop)/|^src-main/[^/]+\\.ts$' },
    },
    {
      name: 'nobody-but-the-desktop-knows-the-desktop',
      comment: 'The service and its parts work without one, and headless.ts has none.',
      severity: 'error',
      from: { path: '^src-main/', pathNot: '^src-main/desktop(/|\\.ts$)' },
      to: { path: '^src-main/desktop(/|\\.ts$)' },
    },
    {
      name: 'service-does-not-know-its-front-doors',
      comment: 'Nor does it read their flags: what they say comes in as its options.',
      severity: 'error',
      from: { path: '^src-main/', pathNot: `^src-main/(desktop/|demo/|cli/|${fronts}\\.ts$)` },
      to: { path: `^src-main/(cli/|${fronts}\\.ts$)` },
    },
    {
      name: 'only-front-doors-know-the-demo',
      severity: 'error',
      from: { path: '^src-main/', pathNot: `^src-main/(desktop/|demo/|cli/|${fronts}\\.ts$)` },
      to: { path: '^src-main/demo/' },
    },
    {
      name: 'a-part-does-not-know-the-whole',
      comment:
        'service.ts opens the parts (publishing.ts, reaching.ts ...) and passes each of them what it needs.',
      severity: 'error',
      from: { path: '^src-main/service/' },
      to: { path: '^src-main/service/service\\.ts$' },
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
        'A hostile file keeps these parsers busy for hours. folder/front-matter.ts only writes what Porchlight made itself.',
      severity: 'error',
      from: {
        path: '^src-',
        pathNot: [...parsers, '^src-main/site/folder/front-matter\\.ts$'],
      },
      to: { path: '^node_modules/(yaml|smol-toml)/' },
    },
    {
      name: 'only-threads-run-their-jobs',
      comment:
        'The main thread knows the types of the jobs only, and runs them in threads (app/document-reading.ts).',
      severity: 'error',
      from: { path: '^src-', pathNot: [...parsers, ...threads] },
      to: { path: parsers, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'long-markdown-is-rendered-in-threads',
      comment: 'Others get a RenderMarkdown (posts/markdown-rendering.ts).',
      severity: 'error',
      from: {
        path: '^src-',
        pathNot: [...threads, ...parsers, '^src-main/service/document-reading\\.ts$'],
      },
      to: { path: '^src-main/post/markdown\\.ts$' },
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

/** What is to be packed, and with what. */
interface Surroundings {
  /** Where the packed app looks for its updates: an https address. Empty or not given: nowhere. */
  readonly feed?: string | undefined;
  /** An unpacked Electron, instead of the one that electron-builder downloads. */
  readonly runtime?: { readonly folder: string; readonly version: string } | undefined;
}

type Packaging =
  | { readonly args: readonly string[]; readonly withoutCloudflared: boolean }
  | { readonly problem: string };

const ownFlag = '--without-cloudflared';

/** electron-builder's command line for `npm run package -- ...`, or why there is none. */
export function packagingArguments(asked: readonly string[], { feed, runtime }: Surroundings): Packaging {
  if (feed && !isFeed(feed)) return { problem: `PORCHLIGHT_UPDATE_FEED is no https address: ${feed}` };
  const targets = asked.filter((argument) => argument !== ownFlag);
  return {
    args: [
      ...(targets.some(isTarget) ? targets : ['--dir', ...targets]),
      // Packages are made here and put up by somebody: a token in the environment uploads nothing.
      ...['--publish', 'never'],
      ...(runtime ? [`-c.electronDist=${runtime.folder}`, `-c.electronVersion=${runtime.version}`] : []),
      ...(feed ? ['-c.publish.provider=generic', `-c.publish.url=${feed}`] : []),
    ],
    withoutCloudflared: asked.includes(ownFlag),
  };
}

const targetFlags = ['--linux', '--mac', '--win', '--dir', '-l', '-m', '-w'];

function isTarget(argument: string): boolean {
  return targetFlags.includes(argument.split('=')[0] ?? '');
}

function isFeed(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:';
}

/**
 * Returns the patterns of the files that a package for a system (`process.platform`) needs for SQLite, in
 * electron-builder's notation. The pinned Electron has SQLite, so a package with it needs none. A package with another
 * Electron, as tests make it, contains SQLite for the case that this Electron is older and has none.
 */
export function sqliteFiles(system: string, electron: string, pinned: string): string[] {
  if (electron === pinned) return [];
  return [
    'node_modules/node-gyp-build/{package.json,LICENSE,*.js}',
    'node_modules/@photostructure/sqlite/{package.json,LICENSE,dist/index.mjs,dist/chunk-*.mjs}',
    `node_modules/@photostructure/sqlite/prebuilds/${system}-\${arch}/*.glibc.node`,
  ];
}

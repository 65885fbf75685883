// What `npm run package` runs: builds, then electron-builder. Without targets it makes the unpacked app for this
// computer; with them (npm run package -- --linux deb AppImage) what is asked for. Everything lands in dist/.
import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  appId,
  isPlaceholder,
  linkScheme,
  productName,
  programName,
  projectPages,
  projectUrl,
} from '../src-main/contract/names.ts';
import {
  cloudflaredAssets,
  cloudflaredName,
  cloudflaredOrigin,
  type CloudflaredAsset,
} from '../src-main/address/tunnel/cloudflared.ts';
import { downloadCloudflared, downloadedCloudflared } from '../src-main/address/tunnel/download.ts';
import type { Env } from '../src-main/platform/run-program.ts';
import { createGuardedFetch, type GuardedFetch } from '../src-main/platform/guarded-fetch.ts';
import { buildIfStale } from './build.ts';
import { installInto, root, runChild, say } from './child.ts';

const ownFlag = '--without-cloudflared';
const targetFlags = ['--linux', '--mac', '--win', '--dir', '-l', '-m', '-w'];

/** Where electron-builder reads its settings. */
const configFile = 'dist/electron-builder.json';
/** The variables of Azure's signing service, and electron-builder's settings that they become. */
const azureSettings = {
  PORCHLIGHT_AZURE_PUBLISHER: 'publisherName',
  PORCHLIGHT_AZURE_ENDPOINT: 'endpoint',
  PORCHLIGHT_AZURE_ACCOUNT: 'codeSigningAccountName',
  PORCHLIGHT_AZURE_PROFILE: 'certificateProfileName',
} as const;

if (import.meta.main) process.exitCode = await makePackages(process.argv.slice(2));

async function makePackages(asked: readonly string[]): Promise<number> {
  const { env } = process;
  const args = builderArguments(asked, { feed: env['PORCHLIGHT_UPDATE_FEED'], runtime: runtime(), env });
  const code = await buildIfStale();
  if (code !== 0) return code;
  if (!(await installInto('scripts/packaging', 'electron-builder'))) return 1;
  await mkdir(join(root, 'dist'), { recursive: true });
  await writeFile(join(root, configFile), JSON.stringify(builderConfig()));
  if (isPlaceholder(projectUrl))
    say(
      `The packages name ${projectUrl} as the address of the project. Set it in src-main/contract/names.ts.`,
    );
  const builder = join(root, 'scripts/packaging/node_modules/electron-builder/cli.js');
  // How the hook below hears of it.
  const without = asked.includes(ownFlag) && { PORCHLIGHT_WITHOUT_CLOUDFLARED: '1' };
  return runChild(process.execPath, [builder, ...args], { env: { ...process.env, ...without } });
}

/** Returns the settings of electron-builder.yml, with the names that users' systems remember. */
export function builderConfig(): Record<string, unknown> {
  const settings = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8')) as {
    extraMetadata: object;
    linux: object;
  };
  return {
    ...settings,
    appId,
    productName,
    protocols: [{ name: productName, schemes: [linkScheme] }],
    linux: { ...settings.linux, executableName: programName },
    extraMetadata: {
      ...settings.extraMetadata,
      homepage: projectUrl,
      repository: projectUrl,
      bugs: projectPages.bugs,
    },
  };
}

/** What is to be packed, and with what. */
interface Surroundings {
  /** Where the packed app looks for its updates: an https address. Empty or not given: nowhere. */
  readonly feed?: string | undefined;
  /** An unpacked Electron, instead of the one that electron-builder downloads. */
  readonly runtime?: { readonly folder: string; readonly version: string } | undefined;
  /** The environment, which may have what signing needs. */
  readonly env?: Env;
}

/** Returns electron-builder's command line for `npm run package -- ...`. @throws Error if the feed isn't https. */
export function builderArguments(
  asked: readonly string[],
  { feed, runtime, env = {} }: Surroundings,
): string[] {
  if (feed && !(URL.canParse(feed) && new URL(feed).protocol === 'https:'))
    throw new Error(`PORCHLIGHT_UPDATE_FEED isn’t an https address: ${feed}`);
  const targets = asked.filter((argument) => argument !== ownFlag);
  const isTargeted = targets.some((argument) => targetFlags.includes(argument.split('=')[0] ?? ''));
  return [
    ...(isTargeted ? targets : ['--dir', ...targets]),
    '--config',
    configFile,
    // Packages are made here and put up by somebody: a token in the environment uploads nothing.
    '--publish',
    'never',
    ...(runtime ? [`-c.electronDist=${runtime.folder}`, `-c.electronVersion=${runtime.version}`] : []),
    ...signingArguments(env),
    ...(feed ? ['-c.publish.provider=generic', `-c.publish.url=${feed}`] : []),
  ];
}

/**
 * Returns the arguments for signing. Without a certificate for macOS, the app is signed ad hoc, because an Apple processor
 * runs nothing that isn't signed. Windows packages are signed if all variables of Azure's service are set.
 */
function signingArguments(env: Env): string[] {
  const azure = Object.entries(azureSettings).map(([variable, name]) => [name, env[variable] ?? ''] as const);
  return [
    ...(env['CSC_LINK'] || env['CSC_NAME'] ? [] : ['-c.mac.identity=-']),
    ...(azure.every(([, value]) => value !== '')
      ? azure.map(([name, value]) => `-c.win.azureSignOptions.${name}=${value}`)
      : []),
  ];
}

/** The Electron runtime of ELECTRON_OVERRIDE_DIST_PATH; without one, electron-builder downloads the pinned one. */
function runtime(): { folder: string; version: string } | undefined {
  const folder = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  if (!folder) return undefined;
  const file = join(folder, 'version');
  if (existsSync(file)) return { folder, version: readFileSync(file, 'utf8').trim().replace(/^v/, '') };
  say(`${file} doesn’t exist, so the package doesn’t use ELECTRON_OVERRIDE_DIST_PATH.`);
  return undefined;
}

/** What the hook uses of electron-builder's AfterPackContext, whose own type is there only where packages are made. */
interface Packing {
  readonly electronPlatformName: string;
  /** An index of `processors`. */
  readonly arch: number;
  readonly targets: readonly { readonly name: string }[];
  readonly packager: {
    readonly info: { readonly framework: { readonly version: string } };
    readonly platformSpecificBuildOptions: { files?: unknown };
  };
}

/** The names of electron-builder's enumeration Arch. */
const processors = ['ia32', 'x64', 'armv7l', 'arm64', 'universal'];

/** Adds SQLite and cloudflared to a package. electron-builder calls this for each system and processor. */
export async function beforePack(packing: Packing): Promise<void> {
  const { electronPlatformName, packager } = packing;
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: { electron: string };
  };
  const { version } = packager.info.framework;
  const filter = sqliteFiles(electronPlatformName, version, manifest.devDependencies.electron);
  const options = packager.platformSpecificBuildOptions;
  options.files = [options.files ?? [], { filter }].flat();
  await bringCloudflared(packing);
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

/** Fetches cloudflared. Where that fails, packages for others are not made, unless they are asked for without it. */
async function bringCloudflared({ electronPlatformName, arch, targets }: Packing): Promise<void> {
  const processor = processors[arch] ?? String(arch);
  const platform = electronPlatformName as NodeJS.Platform;
  const brought = join(root, 'dist/cloudflared');
  const folder = join(brought, `${platform}-${processor}`);
  if (process.env['PORCHLIGHT_WITHOUT_CLOUDFLARED'] === '1')
    return rm(folder, { recursive: true, force: true });
  try {
    await fetchCloudflared({ platform, arch: processor, folder, cache: join(brought, 'downloads') });
    await copyFile(join(root, 'resources/cloudflared-license.txt'), join(folder, 'LICENSE.txt'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const advice = `${why} To make the packages without it: npm run package -- ${ownFlag} ...`;
    // The unpacked app is for whoever makes it: they see this line.
    if (!targets.every(({ name }) => name === 'dir')) throw new Error(advice, { cause: error });
    say(`The app is packed without cloudflared. ${why}`);
  }
}

interface CloudflaredTarget {
  readonly platform: NodeJS.Platform;
  /** As `process.arch` names it. */
  readonly arch: string;
  /** Emptied, and filled with the program. */
  readonly folder: string;
  /** Where downloads are kept for the next time. */
  readonly cache: string;
}

/** What a test puts in the place of the release and the network. */
interface Source {
  readonly assets: Readonly<Record<string, CloudflaredAsset>>;
  readonly origin: string;
  readonly fetch: GuardedFetch;
}

const release = (): Source => ({
  assets: cloudflaredAssets,
  origin: cloudflaredOrigin,
  fetch: createGuardedFetch({ allowPrivate: false, userAgent: 'Porchlight' }),
});

/**
 * Puts the pinned cloudflared of a platform into a folder, downloaded and checked as the product does it.
 * @throws Error, in words for whoever makes the package, if there is none for the platform, or if it can't be downloaded
 */
export async function fetchCloudflared(
  { platform, arch, folder, cache }: CloudflaredTarget,
  { assets, origin, fetch }: Source = release(),
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const asset = assets[`${platform}-${arch}`];
  if (!asset) throw new Error(`There is no cloudflared for ${platform} on ${arch}.`);
  const kept = join(cache, `${platform}-${arch}`);
  const signal = new AbortController().signal;
  const request = { folder: kept, fetch, origin, asset, signal, onProgress: () => undefined };
  if (!existsSync(downloadedCloudflared(kept))) await downloadCloudflared(request);
  const program = join(folder, cloudflaredName(platform));
  await mkdir(folder, { recursive: true });
  await copyFile(downloadedCloudflared(kept), program);
  await chmod(program, 0o755);
}

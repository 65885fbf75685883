import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { bin as packageBinary } from 'cloudflared';
import type { Env } from '../../platform/run-program.ts';

/** The settings of the tunnel to run. */
export interface TunnelRequest {
  readonly mode: 'quick' | 'named';
  /** The loopback port of Porchlight's public server. */
  readonly port: number;
  /** The tunnel's token, for a named tunnel. */
  readonly token?: string | undefined;
  /** The reason why the stored token can't be read, as a message. Present only if reading the token failed. */
  readonly tokenProblem?: string | undefined;
  /** The public host name of a named tunnel, as set in the Cloudflare dashboard. */
  readonly hostname?: string | undefined;
  /** The owner's own options for cloudflared, such as `--protocol=http2` (contract/tunnel-options.ts). */
  readonly options?: readonly string[] | undefined;
  /** The path of the only certificate that cloudflared trusts on the way to Cloudflare; empty for its own. */
  readonly certificate?: string | undefined;
}

/** The paths where Porchlight looks for cloudflared. */
interface CloudflaredPlaces {
  /** The path that the owner configured. If it is set, no other path is used. */
  readonly asked?: string | undefined;
  /** The app's resources folder. The packaged app has cloudflared in its subfolder `cloudflared`. */
  readonly resources?: string | undefined;
  readonly downloaded: string;
}

/**
 * Finds the cloudflared program: the one that the owner configured; otherwise the bundled one, the downloaded one, the
 * one in the npm package, or the first one on the PATH. Returns undefined if there is none. `npm start` puts the
 * package's own command on the PATH: that one is left out, because it downloads a program whose checksum nobody checks.
 */
export function findCloudflared(env: Env, places: CloudflaredPlaces): string | undefined {
  const { asked = env['PORCHLIGHT_CLOUDFLARED'] ?? '', resources, downloaded } = places;
  if (asked !== '') return isProgram(asked) ? asked : undefined;
  const name = cloudflaredName(process.platform);
  const isWanted = (folder: string) => folder !== '' && !/[/\\]node_modules[/\\]\.bin[/\\]?$/.test(folder);
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(isWanted);
  const bundled = resources === undefined ? [] : [join(resources, 'cloudflared', name)];
  const onPath = folders.map((folder) => join(folder, name));
  return [...bundled, downloaded, packageBinary, ...onPath].find(isProgram);
}

/**
 * Returns the command-line arguments for cloudflared. `config` is the path of an empty file, which replaces the owner's
 * ~/.cloudflared/config.yml. Doesn't use --pidfile, because cloudflared would write that file only after it has
 * connected. Porchlight records the pid itself, right after the start. The owner's options come before those of
 * Porchlight, and are only options that Porchlight doesn't use itself.
 */
export function cloudflaredArguments(request: TunnelRequest, config: string): string[] {
  const { mode, port, options = [], certificate = '' } = request;
  const target = ['--url', `http://127.0.0.1:${port}`];
  const ofRun = mode === 'quick' ? [] : options.filter((option) => runOptions.test(option));
  const common = [
    'tunnel',
    ...options.filter((option) => !ofRun.includes(option)),
    ...(certificate === '' ? [] : ['--cacert', certificate]),
    '--config',
    config,
    '--no-autoupdate',
    '--grace-period',
    '2s',
    '--metrics',
    // With port 0, cloudflared picks a free port and logs its number.
    '127.0.0.1:0',
  ];
  return mode === 'quick' ? [...common, ...target] : [...common, 'run', ...ofRun, ...target];
}

/** The options that `cloudflared tunnel run` has itself. It then ignores those of `cloudflared tunnel`. */
const runOptions = /^--(?:protocol|post-quantum)(?:=|$)/;

/**
 * Returns the environment for cloudflared. The token is in the environment, not in the arguments, because all users of
 * the computer can read command-line arguments.
 */
export function cloudflaredEnvironment({ mode, token, certificate = '' }: TunnelRequest, env: Env): Env {
  // Each cloudflared flag can also be set by a TUNNEL_ variable. Such variables in the owner's environment are not
  // meant for this tunnel.
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('TUNNEL_'));
  return {
    ...Object.fromEntries(kept),
    ...(mode === 'named' ? { TUNNEL_TOKEN: token } : {}),
    // cloudflared asks for the address of a quick tunnel over HTTPS, for which --cacert doesn't count.
    ...(certificate !== '' && { SSL_CERT_FILE: certificate }),
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** One cloudflared file that can be downloaded. */
export interface CloudflaredAsset {
  /** The file's name on GitHub. */
  readonly name: string;
  /** The SHA-256 of the downloaded file, in hex. */
  readonly sha256: string;
  /** Whether the downloaded file is a .tgz archive that contains the program. */
  readonly packed: boolean;
}

/** The release that Porchlight bundles or downloads. To update it, change the version and every checksum. */
export const cloudflaredVersion = '2026.9.3';

/** The base URL of the downloads. The file name is appended to it. */
export const cloudflaredOrigin = `https://github.com/cloudflare/cloudflared/releases/download/${cloudflaredVersion}/`;

const windowsProgram: CloudflaredAsset = {
  name: 'cloudflared-windows-amd64.exe',
  sha256: 'f096265ec2fcbe9bb6e2d64268db167ced3fcbb83d894bdb9e2fcdb26f2ea7e2',
  packed: false,
};

/**
 * The downloadable files, keyed by `process.platform` and `process.arch`. The checksums are GitHub's digests of the
 * files. For macOS, the release notes list different checksums: those of the program inside the archive.
 */
export const cloudflaredAssets: Readonly<Record<string, CloudflaredAsset>> = {
  'linux-x64': {
    name: 'cloudflared-linux-amd64',
    sha256: '77e26d8d900e0b8469f416239d14b5f296525fdf79fee6f511ef55609e3fbac2',
    packed: false,
  },
  'linux-arm64': {
    name: 'cloudflared-linux-arm64',
    sha256: 'aaeb2d7d0da3614634c7e03ab13487a1522c2e79165ed2929cfe23d5e95b326d',
    packed: false,
  },
  'darwin-x64': {
    name: 'cloudflared-darwin-amd64.tgz',
    sha256: 'd1155d0837487f261183b15c1eab6c4ebcad9dc49b94675f1524c3564cea3977',
    packed: true,
  },
  'darwin-arm64': {
    name: 'cloudflared-darwin-arm64.tgz',
    sha256: '587c2cfb1c230fe36c7fa7727da78be459dae028cabe8c001291999350f07095',
    packed: true,
  },
  'win32-x64': windowsProgram,
  // Cloudflare makes none for Windows on Arm, which runs programs for x64 too.
  'win32-arm64': windowsProgram,
};

/** Returns the file name of the program on a platform. */
export function cloudflaredName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'cloudflared.exe' : 'cloudflared';
}

/** The processor codes in ELF files (e_machine), keyed by `process.arch`. */
const elfMachines: Readonly<Record<string, number>> = { ia32: 3, arm: 40, x64: 62, arm64: 183 };

/**
 * Returns whether this computer can run the program at `path`, based on the file's first bytes. Without this check, the
 * system would pass a file with an unknown format to a shell, and the shell would report a meaningless error.
 */
export function canRun(
  path: string,
  { platform, arch } = process as { platform: string; arch: string },
): boolean {
  if (platform !== 'linux') return true;
  const start = startOf(path);
  if (start.toString('latin1', 0, 2) === '#!') return true;
  if (start.toString('latin1', 0, 4) !== '\x7fELF') return false;
  const machine = elfMachines[arch];
  return machine === undefined || start.length < 20 || start.readUInt16LE(18) === machine;
}

function startOf(path: string): Buffer {
  const start = Buffer.alloc(20);
  const fd = openSync(path, 'r');
  try {
    return start.subarray(0, readSync(fd, start));
  } finally {
    closeSync(fd);
  }
}

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
  'win32-x64': {
    name: 'cloudflared-windows-amd64.exe',
    sha256: 'f096265ec2fcbe9bb6e2d64268db167ced3fcbb83d894bdb9e2fcdb26f2ea7e2',
    packed: false,
  },
};

/** Returns the file name of the program on a platform. */
export function cloudflaredName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'cloudflared.exe' : 'cloudflared';
}

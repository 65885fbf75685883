import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CloudflaredAsset,
  cloudflaredAssets,
  cloudflaredName,
  cloudflaredOrigin,
  cloudflaredVersion,
} from '../src-main/platform/cloudflared.ts';

export interface CloudflaredTarget {
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
}

/**
 * Puts the pinned cloudflared of a platform into a folder, ready to be packed: only what fits its checksum gets there.
 * Throws an Error, in words for whoever packs, where there is none or it cannot be had.
 */
export async function fetchCloudflared(
  { platform, arch, folder, cache }: CloudflaredTarget,
  { assets, origin }: Source = { assets: cloudflaredAssets, origin: cloudflaredOrigin },
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const asset = assets[`${platform}-${arch}`];
  if (!asset) throw new Error(`There is no cloudflared for ${platform} on ${arch}.`);
  const bytes = await download(asset, origin, cache);
  const program = join(folder, cloudflaredName(platform));
  await mkdir(folder, { recursive: true });
  if (asset.packed) unpack(bytes, folder);
  else await writeFile(program, bytes);
  await chmod(program, 0o755);
}

async function download({ name, sha256 }: CloudflaredAsset, origin: string, cache: string): Promise<Buffer> {
  const kept = join(cache, `${cloudflaredVersion}-${name}`);
  const fits = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex') === sha256;
  const before = await readFile(kept).catch(() => undefined);
  if (before && fits(before)) return before;
  const address = `${origin}${name}`;
  const bytes = await read(address);
  if (!fits(bytes))
    throw new Error(`${address} is not the file whose checksum is pinned; nothing of it was kept.`);
  await mkdir(cache, { recursive: true });
  await writeFile(`${kept}.part`, bytes);
  await rename(`${kept}.part`, kept);
  return bytes;
}

async function read(address: string): Promise<Buffer> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(300_000) });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
    throw new Error(`${address} could not be downloaded: ${why}.`, { cause: error });
  }
}

// tar comes with all three systems. The checksum has been looked at already.
function unpack(archive: Buffer, folder: string): void {
  const { status, stderr } = spawnSync('tar', ['-xzf', '-', '-C', folder, 'cloudflared'], { input: archive });
  if (status !== 0) throw new Error(`The archive of cloudflared could not be unpacked: ${String(stderr)}`);
}

// electron-builder calls this before it packs for a system and a processor: cloudflared comes along, and SQLite where
// Electron has none.
import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Arch } from 'electron-builder';
import type { AfterPackContext, PlatformSpecificBuildOptions } from 'electron-builder';
import { root, say } from './child.ts';
import { fetchCloudflared } from './fetch-cloudflared.ts';
import { sqliteFiles } from './packaging.ts';

type Packing = Pick<AfterPackContext, 'electronPlatformName' | 'arch' | 'targets' | 'packager'>;

const brought = join(root, 'dist/cloudflared');

export async function beforePack(packing: Packing): Promise<void> {
  await bringSqlite(packing);
  await bringCloudflared(packing);
}

async function bringSqlite({ electronPlatformName, packager }: Packing): Promise<void> {
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    devDependencies: { electron: string };
  };
  const filter = sqliteFiles(
    electronPlatformName,
    packager.info.framework.version,
    own.devDependencies.electron,
  );
  const options = packager.platformSpecificBuildOptions as PlatformSpecificBuildOptions;
  options.files = [options.files ?? [], { filter }].flat();
}

/** Fetches cloudflared. Where that fails, packages for others are not made, unless they are asked for without it. */
async function bringCloudflared({ electronPlatformName, arch, targets }: Packing): Promise<void> {
  const platform = electronPlatformName as NodeJS.Platform;
  const processor = Arch[arch];
  const folder = join(brought, `${platform}-${processor}`);
  if (process.env['PORCHLIGHT_WITHOUT_CLOUDFLARED'] === '1') {
    await rm(folder, { recursive: true, force: true });
    return;
  }
  try {
    await fetchCloudflared({ platform, arch: processor, folder, cache: join(brought, 'downloads') });
    await copyFile(join(root, 'resources/cloudflared-license.txt'), join(folder, 'LICENSE.txt'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // The unpacked app is for whoever makes it: they see this line.
    if (!targets.every(({ name }) => name === 'dir'))
      throw new Error(
        `${why} To make the packages without it: npm run package -- --without-cloudflared ...`,
        {
          cause: error,
        },
      );
    say(`The app is packed without cloudflared. ${why}`);
  }
}

// electron-builder calls this before it packs for a system and a processor: cloudflared comes along.
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Arch } from 'electron-builder';
import type { AfterPackContext } from 'electron-builder';
import { root, say } from './child.ts';
import { fetchCloudflared } from './fetch-cloudflared.ts';

type Packing = Pick<AfterPackContext, 'electronPlatformName' | 'arch' | 'targets'>;

const brought = join(root, 'dist/cloudflared');

/** Fetches cloudflared. Where that fails, packages for others are not made, unless they are asked for without it. */
export async function beforePack({ electronPlatformName, arch, targets }: Packing): Promise<void> {
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

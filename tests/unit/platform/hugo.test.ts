import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { installedHugo } from '../../../src-main/platform/other-programs.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test.skipIf(process.platform === 'win32')(
  'the version of the installed Hugo is the one that it prints',
  async () => {
    const dir = await temporaryFolder();
    const versionOf = async (script: string) => {
      await writeFile(path.join(dir, 'hugo'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return installedHugo({ PATH: dir });
    };
    expect(await versionOf('echo "hugo v0.111.3+extended linux/amd64 BuildDate=2023"')).toEqual([0, 111]);
    expect(await versionOf('echo "hugo v1.2.0-abc"')).toEqual([1, 2]);
    expect(await versionOf('echo "v0.111.3"; exit 1')).toBeUndefined();
    expect(await versionOf('echo nothing')).toBeUndefined();
    expect(await installedHugo({ PATH: '/nowhere' })).toBeUndefined();
  },
);

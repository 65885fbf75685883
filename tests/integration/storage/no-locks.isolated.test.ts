import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const folder = await mkdtemp(join(tmpdir(), 'porchlight-no-locks-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a network drive without locks answers. */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int answer(const char *name, int fd, int command, void *argument) {
  if (command == F_SETLK || command == F_SETLKW) { errno = CODE; return -1; }
  int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
  return real(fd, command, argument);
}
int fcntl(int fd, int command, ...) {
  va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
  return answer("fcntl", fd, command, argument);
}
int fcntl64(int fd, int command, ...) {
  va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
  return answer("fcntl64", fd, command, argument);
}
`;
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
if (!hasCompiler)
  console.log('Disks without locks are not tested: there is no C compiler, or this is not Linux.');

const module = (name: string) => join(import.meta.dirname, '../../../src-main/storage', name);
const program = `
  import { lockFolder } from ${JSON.stringify(module('folder-lock.ts'))};
  const [dir] = process.argv.slice(1);
  await lockFolder(dir).then(
    (lock) => console.log(JSON.stringify({ refusal: lock.refusal?.message ?? null })),
    ({ code, message }) => console.log(JSON.stringify({ code, message })),
  );
`;

describe.skipIf(!hasCompiler)('a disk that supports no locks', () => {
  test.each(['ENOLCK', 'ENOTSUP'])('is named when it answers %s', async (code) => {
    const [file, shim] = [join(folder, `${code}.c`), join(folder, `${code}.so`)];
    await writeFile(file, source.replace('CODE', code));
    await promisify(execFile)('cc', ['-shared', '-fPIC', '-o', shim, file, '-ldl']);
    const locked = async (dir: string, env: Record<string, string>) => {
      const options = { env: { ...process.env, ...env } };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', program, dir],
        options,
      );
      return JSON.parse(stdout) as unknown;
    };
    const [empty, used] = [join(folder, `${code}-new`), join(folder, `${code}-used`)];
    expect(await locked(join(folder, `${code}-local`), {})).toEqual({ refusal: null });
    expect(await locked(empty, { LD_PRELOAD: shim })).toMatchObject({
      code: 'storage_unwritable',
      message: expect.stringContaining('doesn’t support locks') as string,
    });
    // Data that is there already can be read, and the status says why nothing is saved.
    await mkdir(used);
    await writeFile(join(used, 'settings.json'), '{}');
    expect(await locked(used, { LD_PRELOAD: shim })).toEqual({
      refusal: expect.stringContaining('doesn’t support locks') as string,
    });
    expect((await readdir(used)).filter((name) => name.startsWith('.porchlight-'))).toEqual([]);
  });
});

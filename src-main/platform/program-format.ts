import { closeSync, openSync, readSync } from 'node:fs';

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

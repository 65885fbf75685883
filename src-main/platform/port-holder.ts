import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { windowsProgram } from './run-program.ts';

const run = promisify(execFile);
const patience = { timeout: 3000, windowsHide: true } as const;

/**
 * Returns the display name of the program that listens on a TCP port on this computer. Returns undefined if the system
 * doesn't report the name, for example for another user's program. Never rejects.
 */
export async function holderOfPort(port: number, platform = process.platform): Promise<string | undefined> {
  try {
    const name = await (platform === 'linux'
      ? holderOnLinux(port)
      : platform === 'win32'
        ? holderOnWindows(port)
        : holderByLsof(port));
    const shown = name?.trim().slice(0, 60) || undefined;
    return /^porchlight(\.exe)?$/i.test(shown ?? '') ? 'another Porchlight' : shown;
  } catch {
    return undefined;
  }
}

/**
 * Returns the name of the program that a command line starts. Omits its arguments, because they may contain secrets.
 */
function programName(program: string): string | undefined {
  // Some programs replace their command line with a status, such as `nginx: master process ...`.
  return lastPart(program.split(/[:\s]\s/, 1)[0] ?? '') || undefined;
}

/** Returns the last part of a path, without control characters. */
function lastPart(text: string): string {
  return (text.split(/[/\\]/).at(-1) ?? '').replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
}

/**
 * Finds the inode of the socket in /proc/net/tcp, then the process that has this socket open (proc(5)). Returns the
 * name of that process.
 */
async function holderOnLinux(port: number): Promise<string | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  const inodes = new Set(listeningInodes(tables.join('\n'), port).map((inode) => `socket:[${inode}]`));
  if (inodes.size === 0) return undefined;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const open = await readdir(`/proc/${pid}/fd`).catch(() => []); // Other users' processes are not readable.
    for (const fd of open) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (inodes.has(target)) return nameOnLinux(pid);
    }
  }
  return undefined;
}

/**
 * Returns the name of a process. Doesn't use /proc/PID/comm, because that file contains the name of the first thread,
 * which is MainThread in Node.js.
 */
async function nameOnLinux(pid: string): Promise<string | undefined> {
  const [program = ''] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0', 1);
  return programName(program);
}

const listening = '0A';

/**
 * Returns the inodes of the sockets that listen on `port`. Each line of /proc/net/tcp starts with its number, the local
 * address as hex `address:port`, the remote address and the state. The tenth column is the inode.
 */
function listeningInodes(table: string, port: number): string[] {
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local = '', , state]) => state === listening && parseInt(local.split(':')[1] ?? '', 16) === port,
    )
    .map((columns) => columns[9] ?? '')
    .filter((inode) => inode !== '' && inode !== '0');
}

/** Finds the program with lsof, on macOS and BSD. The option `-Fc` prints a line `c<name>` for each program. */
async function holderByLsof(port: number): Promise<string | undefined> {
  const { stdout } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fc'], patience);
  return /^c(.+)$/m.exec(stdout)?.[1];
}

async function holderOnWindows(port: number): Promise<string | undefined> {
  const { stdout } = await run(windowsProgram('System32\\netstat.exe'), ['-ano', '-p', 'TCP'], patience);
  // netstat prints the state in the system's language, so a listening socket is recognized by its remote port 0
  // instead.
  const pid = new RegExp(`^[ \\t]*TCP\\s+\\S+:${port}\\s+\\S+:0\\s+\\S+\\s+(\\d+)`, 'm').exec(stdout)?.[1];
  if (pid === undefined) return undefined;
  const found = await run(
    windowsProgram('System32\\tasklist.exe'),
    ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'],
    patience,
  );
  return /^"([^"]+)"/m.exec(found.stdout)?.[1];
}

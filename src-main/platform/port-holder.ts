import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const patience = { timeout: 3000, windowsHide: true } as const;

/**
 * The name of the program that listens on a TCP port of this computer; undefined where the system does not tell, as for
 * another user's program. Never rejects.
 */
export async function holderOfPort(port: number, platform = process.platform): Promise<string | undefined> {
  try {
    const name = await (platform === 'linux'
      ? holderOnLinux(port)
      : platform === 'win32'
        ? holderOnWindows(port)
        : holderByLsof(port));
    return name?.trim().slice(0, 60) || undefined;
  } catch {
    return undefined;
  }
}

/** proc(5): the socket's inode in /proc/net/tcp, then the process that has it open. */
async function holderOnLinux(port: number): Promise<string | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  const inodes = new Set(listeningInodes(tables.join('\n'), port).map((inode) => `socket:[${inode}]`));
  if (inodes.size === 0) return undefined;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const open = await readdir(`/proc/${pid}/fd`).catch(() => []); // other users' are closed to us
    for (const fd of open) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (inodes.has(target)) return readFile(`/proc/${pid}/comm`, 'utf8');
    }
  }
  return undefined;
}

const listening = '0A';

/** Columns of /proc/net/tcp: number, local address as hex `address:port`, remote, state, ..., inode in the tenth. */
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

/** macOS and BSD. `-Fc`: a line `c<name>` for each. */
async function holderByLsof(port: number): Promise<string | undefined> {
  const { stdout } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fc'], patience);
  return /^c(.+)$/m.exec(stdout)?.[1];
}

async function holderOnWindows(port: number): Promise<string | undefined> {
  const { stdout } = await run('netstat', ['-ano', '-p', 'TCP'], patience);
  // The state's name is in the system's language; a listener is the one with nobody at its other end.
  const pid = new RegExp(`^\\s*TCP\\s+\\S+:${port}\\s+\\S+:0\\s+\\S+\\s+(\\d+)`, 'm').exec(stdout)?.[1];
  if (pid === undefined) return undefined;
  const found = await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'], patience);
  return /^"([^"]+)"/m.exec(found.stdout)?.[1];
}

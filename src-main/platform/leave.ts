import { setTimeout as pause } from 'node:timers/promises';
import { isKeychainBusy } from './keychain.ts';

/** How long a last file access or name lookup may take, in ms. */
const patienceMs = 250;
const checkMs = 10;
/** Node's names for work that blocks a thread: file access and name lookups of the operating system. */
const threadWork = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/**
 * Ends the process by calling `exit` with a code. Call this function last, when all data is on disk. If a keychain
 * call, a file access or a name lookup doesn't finish, the process kills itself with SIGKILL instead, and the exit code
 * is lost. Otherwise, Node.js would wait for the thread of that call. It may hang forever, for example on a network
 * drive that has gone away.
 */
export async function leave(code: number, exit: (code: number) => void): Promise<void> {
  for (let waited = 0; isBlocked() && waited < patienceMs; waited += checkMs) await pause(checkMs);
  if (isBlocked()) process.kill(process.pid, 'SIGKILL');
  else exit(code);
}

function isBlocked(): boolean {
  return isKeychainBusy() || process.getActiveResourcesInfo().some((name) => threadWork.test(name));
}

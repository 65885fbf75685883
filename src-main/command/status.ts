import type { Status } from '../contract/status.ts';
import { plainLine } from '../platform/plain-line.ts';
import type { Command } from './command.ts';
import { counted, table } from './text.ts';

const places: Record<Status['secrets'], string> = {
  keychain: 'in the system keychain',
  file: 'in a file that only you can read',
};

export const status: Command = {
  help: 'Show whether the server is on, and how the web reaches it',
  words: [0, 0],
  options: {},
  async run(server) {
    const found = await server.call('status.get', {});
    return { json: found, text: statusText(found) };
  },
};

/** Returns the status as aligned lines of text, with problems last. */
export function statusText({ version, words, me, secrets, waiting, problems }: Status): string {
  const rows = [
    ['Version', version],
    ['Server', plainLine(words)],
    ['Your site', me === null ? 'not set' : plainLine(me)],
    ['Secrets', places[secrets]],
    ['Waiting', waiting === 0 ? 'nothing' : counted(waiting, 'sign-in')],
    ...problems.map(({ message }, index) => [index === 0 ? 'Problems' : '', plainLine(message)]),
  ];
  return table(rows);
}

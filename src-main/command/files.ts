import type { Result } from '../contract/contract.ts';
import { plainLine } from '../platform/plain-line.ts';
import { type Command, usageError } from './command.ts';
import { counted } from './text.ts';

/** Reads the files of posts that were edited outside Porchlight. */
export const readFiles: Command = {
  help: 'Read the files of posts that you edited',
  words: [0, 0],
  options: {
    missing: {
      value: 'write|delete',
      completes: ['write', 'delete'],
      help: 'Write the files that are gone again, or delete their posts',
    },
    'bring-back': {
      value: 'FILE',
      help: 'Bring back the deleted post of this older file; repeat it for more',
    },
  },
  async run(server, given) {
    const missing = given.values('missing').at(-1);
    if (missing !== undefined && missing !== 'write' && missing !== 'delete')
      throw usageError('--missing takes write or delete.');
    const bringBack = given.values('bring-back').map((file) => file.replace(/^posts\//, ''));
    const read = await server.call('posts.readFiles', { ...(missing && { missing }), bringBack });
    return { json: read, text: filesText(read) };
  },
};

/** How many files of each kind are named. */
const mostNamed = 20;

/** Returns what was read from the files of posts as text. */
function filesText({ changed, added, missing, ended, unreadable }: Result<'posts.readFiles'>): string {
  const named = (heading: string, files: readonly string[]) =>
    files.length === 0
      ? []
      : [
          heading,
          ...files.slice(0, mostNamed).map((file) => `- posts/${plainLine(file)}`),
          ...(files.length > mostNamed ? [`and ${files.length - mostNamed} more`] : []),
        ];
  const lines = [
    `Read ${counted(changed.length, 'edited file')} and ${counted(added.length, 'new file')}.`,
    ...named('These files are gone. Choose --missing write or --missing delete:', missing),
    ...named('These files are older than their posts, which ended since. Choose --bring-back FILE:', ended),
    ...named(
      'These files can’t be read:',
      unreadable.map(({ file, reason }) => `${file}: ${reason}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

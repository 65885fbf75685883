import { writeSync } from 'node:fs';
import { openGit } from '../../src-main/site-folder/git/git.ts';
import { silentLog } from '../../src-main/platform/log.ts';

// A process of its own, for tests to kill:
//   git-writer.ts FOLDER REMOTE FIRST   commits and publishes one post after another without end, from number FIRST on.
//   An empty REMOTE: to the branch. Prints the number of each post that is published.

const [folder = '', remote = '', first = '0'] = process.argv.slice(2);

async function publishWithoutEnd(): Promise<never> {
  const git = openGit({ folder, log: silentLog, freshFor: 1000 });
  const target = { branch: 'main', remote: remote === '' ? null : remote };
  for (let number = Number(first); ; number += 1) {
    const files = new Map([
      [`posts/${number}.md`, { text: `Post ${number}\n` }],
      ['data/newest.json', { text: `${number}\n` }],
    ]);
    await git.publish([{ files, message: `Post ${number}` }], target);
    writeSync(1, `${number}\n`);
  }
}

if (folder !== '') await publishWithoutEnd();

import { expect, test } from 'vitest';
import { runFolderRounds } from '../bench/kills/site-folder.ts';

/** More: npm run soak -- --site-folder 200. */
const rounds = 4;

test(
  `each post arrives exactly once in spite of ${rounds} kills and another client that pushes`,
  { timeout: 480_000 },
  async () => {
    const { posts, others, faults } = await runFolderRounds(rounds);
    expect(faults).toEqual([]);
    expect(posts).toBeGreaterThan(0);
    expect(others).toBeGreaterThan(0);
  },
);

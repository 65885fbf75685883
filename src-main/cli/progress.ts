import type { Terminal } from './terminal.ts';

/** Milliseconds between two looks at how far the work is. */
const lookEveryMs = 500;

/**
 * Does long work and shows how far it is on one line of the terminal, which is gone at the end. `look` returns that
 * line, or null while there is nothing to say. @throws what the work throws.
 */
export async function withProgress<T>(
  terminal: Terminal,
  look: () => Promise<string | null>,
  work: () => Promise<T>,
): Promise<T> {
  let isUnderWay = true;
  const show = (line: string | null) => {
    if (isUnderWay && line !== null) terminal.progress(line);
  };
  // A failure of the server fails the work itself, which reports it.
  const looking = setInterval(() => void look().then(show, () => undefined), lookEveryMs);
  try {
    return await work();
  } finally {
    isUnderWay = false;
    clearInterval(looking);
    terminal.progress('');
  }
}

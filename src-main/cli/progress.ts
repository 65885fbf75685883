import type { Terminal } from './terminal.ts';

/** The interval between progress checks, in milliseconds. */
const lookEveryMs = 500;

/**
 * Runs long work and shows its progress on one line of the terminal, which is cleared at the end. `look` returns the
 * line, or null if there is nothing to show.
 * @throws the errors of the work.
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
  // Errors of `look` are ignored: if the server fails, the work fails too and reports it.
  const looking = setInterval(() => void look().then(show, () => undefined), lookEveryMs);
  try {
    return await work();
  } finally {
    isUnderWay = false;
    clearInterval(looking);
    terminal.progress('');
  }
}

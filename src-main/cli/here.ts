import type { ExitCode } from './errors.ts';
import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

/** Runs a command line in this process. Returns its exit code once all that it prints is written. */
export async function runHere(argv: readonly string[], version: string): Promise<ExitCode> {
  const { stdout, stderr } = process;
  // What fails is reported by the write itself; without a listener, it would end the process as well.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  const code = await run({
    ...{ argv, version, env: process.env, terminal: processTerminal() },
    write: (text) => written(stdout, text),
  });
  await written(stderr, '').catch(() => undefined);
  return code;
}

/** A reader may close the pipe once it has seen enough (`porchlight mentions | head -1`). That is no failure. */
function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error && !('code' in error && error.code === 'EPIPE')) reject(error);
      else resolve();
    });
  });
}

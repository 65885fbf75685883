import type { ExitCode } from './errors.ts';
import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

/** Runs a command line in this process. Returns its exit code after all output is written. */
export async function runHere(argv: readonly string[], version: string): Promise<ExitCode> {
  const { stdout, stderr } = process;
  // Each write reports its own failure. Without a listener, the error event would end the process.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  const code = await run({
    ...{ argv, version, env: process.env, terminal: processTerminal() },
    write: (text) => written(stdout, text),
  });
  await written(stderr, '').catch(() => undefined);
  return code;
}

/** Writes a text. A reader may close the pipe early (`porchlight mentions | head -1`), and that is not an error. */
function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error && !('code' in error && error.code === 'EPIPE')) reject(error);
      else resolve();
    });
  });
}

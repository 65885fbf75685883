import { app } from 'electron';
import { withDemo } from '../demo/folder.ts';
import { helpText, parseOptions, type Options } from '../options.ts';
import { failureWords } from './failure-words.ts';

/**
 * The options for this start. Undefined where there is nothing to start: the help or the version was asked for, or a
 * flag makes no sense; it is said, and the app exits (0, or 2 for a flag). What is not ours is Electron's.
 */
export function optionsOf(args: readonly string[]): Options | undefined {
  try {
    const options = withDemo(parseOptions(args, process.env, { tolerateUnknown: true }));
    if (!options.help && !options.version) return options;
    process.stdout.write(options.help ? helpText() : `${app.getVersion()}\n`);
    app.exit(0);
  } catch (error) {
    process.stderr.write(`Porchlight could not start: ${failureWords(error).detail}\n`);
    app.exit(2);
  }
  return undefined;
}

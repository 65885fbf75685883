import { app } from 'electron';
import { withDemo } from '../demo/folder.ts';
import { helpText, parseOptions, type Options } from '../app/options.ts';
import { failureWords } from './dialog-words.ts';

/**
 * Returns the command-line options. Returns undefined if the app must not start. In that case, the function prints the
 * help, the version or an error and exits the app: with 0 after --help or --version, or with 2 for an invalid option.
 * Ignores unknown options, because Electron has options of its own.
 */
export function desktopOptions(args: readonly string[]): Options | undefined {
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

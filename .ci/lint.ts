// Type-checks the one project that contains every TypeScript file, then lints all files with the same types. As separate
// programs, the compiler and the linter would each infer every type.
import { ESLint } from 'eslint';
import ts from 'typescript';
import { root, say } from './child.ts';

const host: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (path) => path,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
};

const program = programOf('tests/tsconfig.json');
// The program at Cloudflare has other types.
const edgeProgram = programOf('src-main/edge/worker/tsconfig.json');
const problems = ts.sortAndDeduplicateDiagnostics(
  [program, edgeProgram].flatMap((one) => [...ts.getPreEmitDiagnostics(one)]),
);
if (problems.length > 0) say(ts.formatDiagnostics(problems, host));
const found = await lint();
process.exitCode = problems.length > 0 || found ? 1 : 0;

/** Returns the program of a tsconfig.json. Throws if the file is unreadable. */
function programOf(config: string): ts.Program {
  const parsed = ts.getParsedCommandLineOfConfigFile(
    config,
    {},
    {
      ...ts.sys,
      getCurrentDirectory: () => root,
      onUnRecoverableConfigFileDiagnostic: (problem) => {
        throw new Error(ts.formatDiagnostic(problem, host));
      },
    },
  );
  if (parsed === undefined) throw new Error(`${config} could not be read.`);
  return ts.createProgram({
    rootNames: parsed.fileNames,
    options: parsed.options,
    configFileParsingDiagnostics: parsed.errors,
  });
}

/** Lints all files. Reports errors and warnings, and returns whether there are any. */
async function lint(): Promise<boolean> {
  const eslint = new ESLint({
    cwd: root,
    overrideConfig: {
      files: ['**/*.{ts,tsx}'],
      languageOptions: { parserOptions: { project: null, programs: [edgeProgram, program] } },
    },
  });
  const results = await eslint.lintFiles('.');
  const formatter = await eslint.loadFormatter('stylish');
  const report = await formatter.format(results);
  if (report !== '') say(report);
  return results.some(({ errorCount, warningCount }) => errorCount + warningCount > 0);
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/child.ts';

/** Returns what a module imports without `import()`, and without types: paths from the root, and names of packages. */
function importsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    const isType = ts.isImportDeclaration(statement) && isForTypes(statement.importClause);
    if (isType || !(ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))) return [];
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    const { text } = moduleSpecifier;
    return [text.startsWith('.') ? join(file, '..', text) : text];
  });
}

function isForTypes(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  const { namedBindings } = clause;
  const names = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [];
  const isEachType = names.length > 0 && names.every(({ isTypeOnly }) => isTypeOnly);
  return clause.phaseModifier === ts.SyntaxKind.TypeKeyword || (clause.name === undefined && isEachType);
}

/** Returns everything that is loaded with a module. */
function loadedWith(entry: string): Set<string> {
  const loaded = new Set([entry]);
  for (const one of loaded)
    if (one.endsWith('.ts')) for (const imported of importsOf(one)) loaded.add(imported);
  return loaded;
}

test.each(['src-main/headless-program.ts', 'src-main/desktop.ts'])(
  'a start of %s loads no parser of YAML, TOML or Markdown, no zip library and no demo',
  (entry) => {
    const loaded = loadedWith(entry);
    expect(loaded).toContain('fastify');
    const later = [
      'yaml',
      'smol-toml',
      'markdown-it',
      'yazl',
      'yauzl',
      'undici/lib/dispatcher/client.js',
      'file-type',
      'age-encryption',
    ];
    expect([...later, 'src-main/demo/demo.ts'].filter((name) => loaded.has(name))).toEqual([]);
  },
);

// The first format of a program reads the data of all languages, which takes 6 ms and some 8 MB.
test('loading the program formats nothing for a language', async () => {
  const app = pathToFileURL(join(root, 'src-main/app/app.ts')).href;
  const program = `
    const used = [];
    for (const name of ['Collator', 'DateTimeFormat', 'ListFormat', 'NumberFormat', 'Segmenter'])
      Intl[name] = new Proxy(Intl[name], {
        construct(make, values) {
          used.push(name);
          return Reflect.construct(make, values);
        },
      });
    const compare = String.prototype.localeCompare;
    String.prototype.localeCompare = function (...values) {
      used.push('localeCompare');
      return compare.apply(this, values);
    };
    await import('${app}');
    console.log(used.join(' '));`;
  const args = ['--input-type=module', '--eval', program];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout.trim()).toBe('');
});

import ts from 'typescript';

/** A wording that native speakers stumble over, and what to write in its place. */
export interface Wording {
  readonly banned: RegExp;
  readonly better: string;
}

/** The left column of the style guide, as patterns, and phrases like those. */
export const wordings: readonly Wording[] = [
  { banned: /\bcan not\b/i, better: 'cannot' },
  { banned: /\bneeds? not\b/i, better: 'does not need to' },
  { banned: /\bnot\b[^.;:]{0,40}\bany ?more\b/i, better: 'no longer' },
  { banned: /\banew\b/i, better: 'again' },
  { banned: /\b(some|any)(thing|body) of yours\b/i, better: 'name the thing: your reverse proxy, your site' },
  { banned: /\b(give|gives|gave|given|giving) (it|this|that|them) up\b/i, better: 'cancel' },
  { banned: /\b(is|are|was|were) given up\b/i, better: 'was canceled, has failed' },
  { banned: /\bhow (are you|you are|it is|is it) reached\b/i, better: 'how the web can reach you' },
  { banned: /\bwhat is there\b/i, better: 'name the thing: the file, the page' },
  { banned: /\b(is|are) there[.,;!]/i, better: 'is available, exists' },
  { banned: /\bwhat is gone\b/i, better: 'what was deleted' },
  { banned: /\bno \w+ (is|are) like (that|this)\b/i, better: 'no mentions match these filters' },
  { banned: /\b(throw|throws|threw|thrown|throwing) (it |them |this )?away\b/i, better: 'discard' },
  { banned: /\bthe way to stay\b/i, better: 'best for everyday use' },
  { banned: /^Not at all$/i, better: 'not yet (this computer only)' },
  {
    banned:
      /\b(app[’']s|an?|its|the) pass(es)?\b(?! (on|through|by|the|over|that|a|into|as|it|without|with|before|only))/i,
    better: 'access',
  },
  { banned: /\bpass(es|ed|ing)? (posts?|it|them) on\b/i, better: 'cross-post' },
  { banned: /\b(come|comes|came|coming) to (its|their|an|the) end\b/i, better: 'finish' },
  { banned: /\btake it all\b|\bwhere everything goes\b/i, better: 'export, save the export to' },
  { banned: /\bhears? of\b/i, better: 'learns about' },
  { banned: /\b(is|are|was|were) looked (at|again|for)\b/i, better: 'Porchlight checks, reads' },
  { banned: /\bwords? stands? for\b|\bno words stand\b/i, better: 'has alt text' },
  { banned: /\b(go|goes|went|gone|going) on\b(?! (a|the|your|its|this)\b)/i, better: 'continue' },
  { banned: /\b(does|do|did) not wait\b/i, better: 'is no longer waiting' },
  { banned: /\bfor people who build\b/i, better: 'for developers' },
  { banned: /^Not yet: /, better: 'Problem: …' },
  {
    banned: /\b(at most|only|after|by|in) so (many|much|long)\b/i,
    better: 'name the number, or "a limited number of"',
  },
  { banned: /\bmend(s|ed|ing)?\b/i, better: 'fix, repair' },
  { banned: /\b(ms|s|seconds) in the middle\b/i, better: 'at the median' },
  { banned: /\bso by the\b|\bended so\b/i, better: 'in this way' },
  { banned: /\btrue for what\b/i, better: 'returns whether' },
  { banned: /\bwhat you came for\b|\bthat you came for\b/i, better: 'name the thing' },
];

export interface Sentence {
  /** file:line */
  readonly place: string;
  readonly text: string;
}

/** The texts of a TypeScript file that people may read: strings and JSX with a space in them, and comments if asked. */
export function sentencesOfCode(file: string, code: string, { comments }: { comments: boolean }): Sentence[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const found: Sentence[] = [];
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const add = (position: number, text: string) => {
    const plain = text.replace(/\s+/g, ' ').trim();
    if (plain.includes(' ')) found.push({ place: `${file}:${lineAt(position)}`, text: plain });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateExpression(node)) add(node.getStart(), templateText(node));
    else if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) add(node.getStart(), node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (comments)
    for (const match of code.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm))
      add(match.index, match[0].replace(/^\s*\/?\*+\/?|\/\/|\*\/$/gm, ' '));
  return found;
}

/** A template as one sentence, with … in place of each value. */
function templateText(node: ts.TemplateExpression): string {
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}

/** The lines of a Markdown file, without code blocks and quotations: names of tests and texts of the window. */
export function sentencesOfMarkdown(file: string, text: string): Sentence[] {
  const withoutCode = text
    .replace(/“[^”]*”/g, '“”')
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ''));
  return withoutCode
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ place: `${file}:${index + 1}`, text: line }]));
}

/** Where a text has a banned wording, with what to write in its place. */
export function faultsOf(sentences: readonly Sentence[]): string[] {
  return sentences.flatMap(({ place, text }) =>
    wordings.flatMap(({ banned, better }) => {
      const match = banned.exec(text);
      return match ? [`${place}: “${match[0]}” (better: ${better})`] : [];
    }),
  );
}

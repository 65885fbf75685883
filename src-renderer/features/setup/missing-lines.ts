import type { Finding } from '../../../src-main/contract/reach.ts';
import { missingLinesWords } from './words.ts';

/**
 * Returns the findings with one in place of those about the lines where the home page has none of them. The owner pastes
 * all lines at once, so they are one thing to do.
 */
export function missingLinesAsOne(findings: readonly Finding[]): readonly Finding[] {
  const isLine = ({ id }: Finding) => id.startsWith('link.');
  const lines = findings.filter(isLine);
  if (lines.length < 2 || lines.some(({ level }) => level !== 'fail')) return findings;
  const one: Finding = { id: 'link.all', area: 'site', level: 'fail', ...missingLinesWords };
  return [...findings.filter((finding) => !isLine(finding)), one];
}

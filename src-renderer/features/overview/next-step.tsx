import { useQuery } from '@tanstack/react-query';
import type { Finding, SelfTest } from '../../../src-main/contract/reach.ts';
import type { Status } from '../../../src-main/contract/status.ts';
import { useAnswer, useClient } from '../../client/queries.ts';
import { hashOf, welcomeHash } from '../../routes.ts';
import { isLocal } from '../../ui/local-address.ts';
import { hostIn } from '../../ui/plain-text.ts';
import { missingLinesAsOne } from '../setup/missing-lines.ts';
import { nextStepWords } from './words.ts';

/** What is missing, and the way to it. */
export interface MissingStep {
  readonly words: string;
  readonly link: string;
  readonly hash: string;
}

/** Returns what is still missing before apps can sign the owner in: null if nothing is, undefined until it is known. */
export function useMissing(status: Status): MissingStep | null | undefined {
  const last = useAnswer('setup.lastCheck', {}).data;
  const findings = useFindings(status, last);
  return last === undefined || findings === undefined ? undefined : missing(status, last, findings);
}

/**
 * The findings of the last self-test. Owners fix their site without telling Porchlight, so a site that failed is read
 * once more before the window says so. Undefined until that is done.
 */
function useFindings({ baseUrl }: Status, last: SelfTest | null | undefined): readonly Finding[] | undefined {
  const client = useClient();
  const failed = last?.base === baseUrl && last.findings.some(isSiteFailure);
  const site = useQuery({
    queryKey: ['overview.site', baseUrl, last?.at],
    queryFn: () => client.call('setup.check', { only: 'site' }),
    enabled: failed,
    staleTime: 60_000,
  });
  if (!failed) return last?.findings ?? [];
  if (site.isPending) return undefined;
  const others = last.findings.filter(({ area }) => area !== 'site');
  return site.data ? [...others, ...site.data.findings] : last.findings;
}

const isSiteFailure = ({ area, level }: Finding) => area === 'site' && level === 'fail';

function missing(
  { me, baseUrl, server }: Status,
  last: SelfTest | null,
  findings: readonly Finding[],
): MissingStep | null {
  if (me === null) return { ...nextStepWords.who, hash: welcomeHash('who') };
  if (server !== 'on') return null; // The light says so itself, and nothing else can be judged.
  if (isLocal(baseUrl)) return { ...nextStepWords.reach, hash: welcomeHash('reach') };
  if (last?.base !== baseUrl) return { ...nextStepWords.unchecked, hash: welcomeHash('done') };
  const open = missingLinesAsOne(findings).filter(({ level }) => level === 'fail');
  if (open.length === 0) return null;
  if (open.every(({ id }) => id.startsWith('link.')))
    return { ...nextStepWords.site(hostIn(me)), hash: welcomeHash('links') };
  return { ...nextStepWords.findings(open.length), hash: hashOf('setup') };
}

import { Anchor } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Status } from '../../../src-main/contract/status.ts';
import type { SelfTest } from '../../../src-main/contract/setup.ts';
import { useAnswer } from '../../client/queries.ts';
import { hashOf, welcomeHash } from '../../routes.ts';
import { isLocal } from '../../ui/local-address.ts';
import { WarningNote } from '../../ui/states.tsx';

interface Step {
  readonly words: string;
  readonly link: string;
  readonly hash: string;
}

/** What is still missing before the light is of use; nothing where nothing is. */
export function NextStep({ status }: { status: Status }): ReactElement | null {
  const last = useAnswer('setup.lastCheck', {}).data;
  const step = last === undefined ? null : missing(status, last);
  if (step === null) return null;
  return (
    <WarningNote>
      {step.words}{' '}
      <Anchor href={step.hash} inherit underline="always" c="inherit">
        {step.link}
      </Anchor>
    </WarningNote>
  );
}

function missing({ me, baseUrl, server }: Status, last: SelfTest | null): Step | null {
  if (me === null)
    return {
      words: 'Nobody has said whose light this is.',
      link: 'Say who you are',
      hash: welcomeHash('who'),
    };
  if (server !== 'on') return null; // The light says so itself, and nothing else can be judged.
  if (isLocal(baseUrl))
    return {
      words: 'Only this computer reaches Porchlight so far.',
      link: 'Choose how you are reached',
      hash: welcomeHash('reach'),
    };
  if (last === null || last.base !== baseUrl)
    return {
      words: 'Nobody has looked yet whether your public address works.',
      link: 'See whether it does',
      hash: hashOf('setup'),
    };
  const open = last.findings.filter(({ level }) => level === 'fail').length;
  if (open === 0) return null;
  return {
    words:
      open === 1
        ? 'The last self-test found one thing to do.'
        : `The last self-test found ${open} things to do.`,
    link: 'See what to do',
    hash: hashOf('setup'),
  };
}

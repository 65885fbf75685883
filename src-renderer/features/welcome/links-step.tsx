import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Address } from '../../ui/foreign.tsx';
import { isLocal } from '../../ui/local-address.ts';
import { Loaded, WarningNote } from '../../ui/states.tsx';
import { LiveSite } from './live-site.tsx';
import { StepFrame, type StepProps } from './step-frame.tsx';
import { useSiteCheck } from './site-check.ts';
import { linksWords as words } from './words.ts';

/** The lines for the owner's home page, and whether the page has them. */
export function LinksStep(ways: StepProps): ReactElement {
  const tags = useAnswer('setup.linkTags', {});
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
  const check = useSiteCheck(me !== null);
  const ready = check.data?.findings.every(({ level }) => level !== 'fail') === true;
  return (
    <StepFrame
      title={words.title}
      about={
        <>
          {words.aboutBefore}
          {me === null ? words.homePage : <Address url={me} />}
          {words.aboutAfter}
        </>
      }
      ready={ready}
      {...ways}
    >
      <Loaded query={tags} what={words.name}>
        {({ html, tags: [first] }) => (
          <>
            {first !== undefined && isLocal(first.href) && (
              <WarningNote>
                <b>{words.localProblem}</b> {words.local}
              </WarningNote>
            )}
            <CodeBlock text={html} what={words.name} />
          </>
        )}
      </Loaded>
      {me !== null && <LiveSite check={check} />}
    </StepFrame>
  );
}

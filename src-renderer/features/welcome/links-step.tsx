import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Address } from '../../ui/foreign.tsx';
import { isLocal } from '../../ui/local-address.ts';
import { Loaded, WarningNote } from '../../ui/states.tsx';
import { LiveSite } from './live-site.tsx';
import { StepFrame, type StepProps } from './step-frame.tsx';
import { useSiteCheck } from './site-check.ts';

/** The third step: the lines for the owner's site, and whether they are there. */
export function LinksStep(ways: StepProps): ReactElement {
  const tags = useAnswer('setup.linkTags', {});
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
  const check = useSiteCheck(me !== null);
  const ready = check.data?.findings.every(({ level }) => level !== 'fail') === true;
  return (
    <StepFrame
      title="Let your site point here"
      about={
        <>
          Paste these lines into the head of {me === null ? 'your home page' : <Address url={me} />}, between{' '}
          {'<head>'} and {'</head>'}. Your site stays where it is.
        </>
      }
      next="Go on"
      ready={ready}
      {...ways}
    >
      <Loaded query={tags} what="the lines for your site">
        {({ html, tags: [first] }) => (
          <>
            {first !== undefined && isLocal(first.href) && (
              <WarningNote>
                <b>You have no public address yet:</b> these lines lead to this computer only. Go back a step
                before you paste them.
              </WarningNote>
            )}
            <CodeBlock text={html} what="the lines for your site" />
          </>
        )}
      </Loaded>
      {me !== null && <LiveSite check={check} />}
    </StepFrame>
  );
}

import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Composer } from './composer.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LastDays } from './last-days.tsx';
import { Light } from './light.tsx';
import { Attention } from './attention.tsx';
import { Arrived, Restored } from './news.tsx';
import { WaitingSignIns } from './sign-ins.tsx';
import { overviewWords as words } from './words.ts';

/** The first screen: the state of the server, what needs the owner, a line for a note, and what happened lately. */
export function Overview(): ReactElement {
  const status = useAnswer('status.get', {});
  return (
    <Page title={words.title} titleHidden>
      <Loaded query={status} what={words.status}>
        {(now) => <Light status={now} />}
      </Loaded>
      <WaitingSignIns />
      <Arrived />
      <Restored />
      {status.data && <Attention status={status.data} />}
      {status.data && <FirstSteps status={status.data} />}
      <Composer />
      <LastDays />
    </Page>
  );
}

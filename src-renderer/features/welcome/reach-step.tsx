import { Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Address } from '../../ui/foreign.tsx';
import { isLocal } from '../../ui/local-address.ts';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { ReachForm } from '../reach/reach-form.tsx';
import { isOwnPage, isQuick } from '../setup/own-page.ts';
import { useHoldChoice } from './hold-choice.tsx';
import { StepFrame, type StepProps } from './step-frame.tsx';
import { reachStepWords as words } from './words.ts';

interface Props extends StepProps {
  /** The owner has no website: the public address becomes the home page when they continue. */
  readonly isHome: boolean;
}

/** How the web reaches this computer. */
export function ReachStep({ isHome, onBack, onNext }: Props): ReactElement {
  const base = useAnswer('status.get', {}).data?.baseUrl ?? '';
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
  const [isReady, setIsReady] = useState(false);
  const save = useAction('settings.update');
  const hasAddress = base !== '' && !isLocal(base);
  const hold = useHoldChoice();
  const becomesHome = isHome && hasAddress && !isOwnPage(me, base);
  const next = () => {
    const patch = {
      ...(becomesHome && { profile: { me: `${base}/`, url: '' } }),
      ...(hold.change !== undefined && { webmention: { hold: hold.change } }),
    };
    if (Object.keys(patch).length === 0) onNext();
    else save.mutate(patch, { onSuccess: onNext });
  };
  return (
    <StepFrame
      title={words.title}
      about={words.about}
      ready={isHome ? hasAddress : isReady || hasAddress}
      saving={save.isPending}
      onBack={onBack}
      onNext={next}
    >
      <ReachForm onReady={() => setIsReady(true)} />
      <div role="status">
        {hasAddress && (
          <>
            <Text fw={600}>
              {isHome ? (isOwnPage(me, base) ? words.homeIsBefore : words.homeBefore) : words.addressBefore}
              <Address url={isHome ? `${base}/` : base} />
            </Text>
            {isHome && <Text c="dimmed">{words.homeAbout}</Text>}
          </>
        )}
      </div>
      {hasAddress && isQuick(base) && (
        <WarningNote>{isHome ? words.quickHome : words.quickLinks}</WarningNote>
      )}
      {hold.question}
      <ErrorNote error={save.error} doing={becomesHome ? words.homeNotSaved : words.notSaved} />
    </StepFrame>
  );
}

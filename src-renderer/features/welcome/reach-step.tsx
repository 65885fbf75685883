import { Checkbox, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Address } from '../../ui/foreign.tsx';
import { isLocal } from '../../ui/local-address.ts';
import shared from '../../ui/shared.module.css';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { ReachForm } from '../reach/reach-form.tsx';
import { isOwnPage, isQuick } from '../setup/own-page.ts';
import { StepButtons, StepTop, type StepProps } from './step-frame.tsx';
import { holdChoiceWords, reachStepWords as words } from './words.ts';

interface Props extends StepProps {
  /** The owner has no domain: the public address becomes the home page when they continue. */
  readonly isHome: boolean;
}

/** How the web reaches this computer. */
export function ReachStep({ isHome, onBack, onNext }: Props): ReactElement {
  const base = useAnswer('status.get', {}).data?.baseUrl ?? '';
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
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
    <Stack gap="lg">
      <StepTop title={words.title} about={words.about} />
      <div role="status" className={shared.outcome}>
        {hasAddress && (
          <Text fw={600}>
            {isHome ? (isOwnPage(me, base) ? words.homeIsBefore : words.homeBefore) : words.addressBefore}
            <Address url={isHome ? `${base}/` : base} />
          </Text>
        )}
        {hasAddress && isHome && <Text c="dimmed">{words.homeAbout}</Text>}
      </div>
      {hasAddress && isQuick(base) && (
        <WarningNote>{isHome ? words.quickHome : words.quickLinks}</WarningNote>
      )}
      <ReachForm
        step={{
          withoutDomain: isHome,
          base,
          hasAddress,
          onDone: next,
          actions: (primary, isSaved) => (
            <>
              {hold.question}
              <ErrorNote error={save.error} doing={becomesHome ? words.homeNotSaved : words.notSaved} />
              <StepButtons
                primary={primary}
                onSkip={hasAddress && primary !== false && !isSaved ? undefined : next}
                onBack={onBack}
              />
            </>
          ),
        }}
      />
    </Stack>
  );
}

type Hold = Settings['webmention']['hold'];

/**
 * Asks whether mentions by new people wait for approval. Returns the question, and the setting to save; undefined if it
 * stays as it is. Yes is preselected, unless mentions have been shown without approval: then the owner chose that.
 */
function useHoldChoice(): { question: ReactElement; change: Hold | undefined } {
  const hold = useAnswer('settings.get', {}).data?.webmention.hold ?? 'nothing';
  const hasMentions = (useAnswer('webmentions.counts', {}).data ?? []).length > 0;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isHeld = hold !== 'nothing';
  const shouldHold = chosen ?? (isHeld || !hasMentions);
  const question = (
    <Checkbox
      checked={shouldHold}
      label={holdChoiceWords.label}
      description={holdChoiceWords.about}
      onChange={(event) => setChosen(event.currentTarget.checked)}
    />
  );
  if (shouldHold === isHeld) return { question, change: undefined };
  return { question, change: shouldHold ? 'strangers' : 'nothing' };
}

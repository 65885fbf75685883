import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { TunnelStatus } from '../../../src-main/contract/reach.ts';
import type { Status } from '../../../src-main/contract/status.ts';
import { useAnswer } from '../../client/queries.ts';
import { Form } from '../../ui/form.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { CloudflareCard } from '../cloudflare/cloudflare-card.tsx';
import { SetupForm } from '../cloudflare/setup-form.tsx';
import { useCloudflare, type Cloudflare } from '../cloudflare/use-cloudflare.ts';
import { useSetupDraft } from '../cloudflare/use-setup-draft.ts';
import { cardWords } from '../cloudflare/words.ts';
import { SaveRow } from '../settings/save-row.tsx';
import { SelfTest } from '../setup/self-test.tsx';
import { CloudflaredFields } from './cloudflared-fields.tsx';
import { NamedFields } from './named-fields.tsx';
import { OtherWays } from './other-ways.tsx';
import { goalOf, isByTunnel, type ReachGoal } from './reach-choice.ts';
import styles from './reach.module.css';
import { TailscaleFields } from './tailscale-fields.tsx';
import { TunnelNow } from './tunnel-now.tsx';
import { useArrival } from './use-arrival.ts';
import { useReachChoice, useTailscale, type ReachChoice, type SavedReach } from './use-reach-choice.ts';
import { flagsWords, proxyWords, reachWords as words, wayWords, type Way } from './words.ts';

/** What the set-up adds to the form: it suggests a way, and continues once the public address works. */
export interface ReachInSetup {
  /** The owner has no domain. */
  readonly withoutDomain: boolean;
  /** The origin of the server now. */
  readonly base: string;
  /** The origin is a public address already, for example from a command-line option. */
  readonly hasAddress: boolean;
  /**
   * Lays out the step's buttons around the one that saves and continues; false while there is nothing to save.
   * `isSaved`: the choice is saved, so the step continues by itself as soon as the address works.
   */
  readonly actions: (primary: ReactElement | false, isSaved: boolean) => ReactElement;
  readonly onDone: () => void;
}

interface Props {
  readonly step?: ReachInSetup;
}

/** How the web reaches this computer: one way with what it needs, the other ways, and the state of the tunnel. */
export function ReachForm({ step }: Props): ReactElement {
  const settings = useAnswer('settings.get', {});
  const kept = useAnswer('secrets.hasTunnelToken', {});
  const tunnel = useAnswer('tunnel.status', {});
  const cloudflare = useCloudflare();
  const asksTailscale = step !== undefined && step.withoutDomain && !step.hasAddress;
  const tailscale = useTailscale(asksTailscale);
  const withoutDomain: Way = tailscale.data?.name ? 'tailscale' : 'quick';
  const suggested = step && !step.hasAddress ? (step.withoutDomain ? withoutDomain : 'named') : undefined;
  return (
    <Loaded query={settings} what={words.reading.settings}>
      {(saved) => (
        <Loaded query={kept} what={words.reading.token}>
          {({ stored }) => (
            <Loaded query={tunnel} what={words.reading.tunnel}>
              {(now) => (
                <Loaded query={cloudflare.status} what={cardWords.loading}>
                  {() =>
                    asksTailscale && tailscale.isPending ? (
                      <Loaded query={tailscale} what={words.reading.tailscale}>
                        {() => null}
                      </Loaded>
                    ) : (
                      <ReachChoiceForm
                        {...{ saved, now, cloudflare, step }}
                        suggested={suggested}
                        tokenKept={stored}
                      />
                    )
                  }
                </Loaded>
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

const noFlags: Status['flags'] = { baseUrl: false, tunnel: null };

/** Shown while Porchlight is off and has no port. */
const usualPort = 4180;

interface FormProps {
  readonly saved: SavedReach;
  readonly now: TunnelStatus;
  readonly cloudflare: Cloudflare;
  readonly step: ReachInSetup | undefined;
  readonly suggested: Way | undefined;
  readonly tokenKept: boolean;
}

function ReachChoiceForm({ saved, now, cloudflare, step, suggested, tokenKept }: FormProps): ReactElement {
  const status = useAnswer('status.get', {}).data;
  const { flags, port } = { flags: status?.flags ?? noFlags, port: status?.port ?? usualPort };
  const { state, done } = cloudflare;
  const isManaged = state !== 'none';
  /** What the owner has saved here. The settings that this window knows may be older for a moment. */
  const [goal, setGoal] = useState<ReachGoal | null>(null);
  /** How often the owner has chosen another way. */
  const [turns, setTurns] = useState(0);
  const title = useRef<HTMLHeadingElement>(null);
  const choice = useReachChoice({
    saved,
    tokenKept,
    isManaged,
    suggested,
    onSaved: (chosen, isNew) => {
      if (!isNew && (arrival.isThere || arrival.isLate)) step?.onDone();
      else setGoal(chosen);
    },
  });
  const setup = useSetupDraft();
  // The next setup begins with a token again.
  if (state === 'ready' && setup.draft.connected !== null) setup.change({ connected: null });
  const { way } = choice.shown;
  // In the set-up, an address without a way is there whatever the owner chooses, so there is nothing to ask.
  const isGiven = step !== undefined && way === 'off';
  const isSetUpHere = state === 'ready' && (done === 'setUp' || done === 'resume');
  const isWaiting = step !== undefined && (goal !== null || isSetUpHere);
  const setUpGoal: ReachGoal = { mode: 'named', url: `https://${cloudflare.status.data?.hostname ?? ''}` };
  const arrival = useArrival({
    goal: goal ?? (isSetUpHere ? setUpGoal : goalOf(choice.before)),
    base: step?.base ?? '',
    now,
    flags,
    isWaiting,
    onDone: () => step?.onDone(),
  });
  const others = (Object.keys(wayWords) as Way[]).filter(
    (other) => other !== way && !(other === 'hand' && isManaged) && !(other === 'off' && step),
  );
  const choose = (other: Way) => {
    setGoal(null);
    choice.change({ way: other });
    setTurns(turns + 1);
  };
  useEffect(() => {
    if (turns > 0) title.current?.focus();
  }, [turns]);
  const actions = step ? (primary: ReactElement | false) => step.actions(primary, isWaiting) : undefined;

  // Nothing is chosen yet, and there is nothing to save.
  const isUntouched = way === 'off' && !choice.isChanged && !choice.saving.isSuccess;
  // The tunnel has its own button then, which tries again.
  const isStuck = isWaiting && !arrival.isThere && !arrival.isOn && !arrival.isLate && !choice.isChanged;
  const tunnel = (flags.tunnel ?? saved.tunnel.mode) !== 'off' && (
    <TunnelNow now={now} isManaged={state === 'ready'} />
  );

  return (
    <Stack>
      <FlagsNote flags={flags} />
      <PhonesNote />
      <CloudflareCard cloudflare={cloudflare} withLinks={!step} />
      {!step && tunnel}
      {!step && isSetUpHere && (
        <div role="group" aria-label={cardWords.testTitle} className={shared.card}>
          <SelfTest atOnce foldWarnings />
        </div>
      )}
      {!isGiven && (
        <div>
          <Title order={step ? 2 : 3} ref={title} tabIndex={-1} className={styles.title}>
            {wayWords[way].label}
          </Title>
          <Text c="dimmed" size={step ? 'md' : 'sm'}>
            {wayWords[way].about}
          </Text>
        </div>
      )}
      {way === 'named' && state === 'none' ? (
        <SetupForm cloudflare={cloudflare} actions={actions} {...setup} />
      ) : way === 'named' && state !== 'ready' ? (
        actions?.(false)
      ) : (
        <Form onSubmit={choice.submit}>
          <Fields choice={choice} port={port} tokenKept={tokenKept} />
          {step && now.state !== 'connected' && tunnel}
          <div role="status" className={shared.outcome}>
            {arrival.isOn && (
              <Text fw={600}>
                {words.waiting} {way === 'quick' && words.newAddress}
              </Text>
            )}
            {arrival.isLate && <WarningNote>{words.notAnswering}</WarningNote>}
          </div>
          {step && <ErrorNote error={choice.saving.error} doing={words.notSaved} />}
          {actions ? (
            actions(!isStuck && <Continue isBusy={choice.saving.isPending || arrival.isOn} />)
          ) : isUntouched ? null : (
            <SaveRow changed={choice.isChanged} save={choice.saving} onDiscard={choice.reset} />
          )}
        </Form>
      )}
      <OtherWays ways={others} isOpenAtFirst={!step && way === 'off'} onChoose={choose} />
    </Stack>
  );
}

/** Says before a change of the address what it means for paired phones. */
function PhonesNote(): ReactElement | null {
  const isPaired = useAnswer('phones.list', {}).data?.some(
    ({ usable, code }) => usable && code === undefined,
  );
  return isPaired === true ? <WarningNote>{words.phones}</WarningNote> : null;
}

/** The one button of the step in the set-up: saves the choice, and continues once the address works. */
function Continue({ isBusy }: { isBusy: boolean }): ReactElement {
  return (
    <Button type="submit" size="md" color="amber.5" loading={isBusy}>
      {words.continue}
    </Button>
  );
}

interface FieldsProps {
  readonly choice: ReachChoice;
  readonly port: number;
  readonly tokenKept: boolean;
}

/** What the chosen way needs to know. */
function Fields({ choice, port, tokenKept }: FieldsProps): ReactElement {
  const { shown, problems, change } = choice;
  return (
    <>
      {shown.way === 'proxy' && (
        <TextInput
          label={proxyWords.label}
          description={proxyWords.description(port)}
          placeholder={proxyWords.placeholder}
          type="url"
          maxLength={2048}
          value={shown.publicUrl}
          error={problems.publicUrl}
          onChange={(event) => change({ publicUrl: event.currentTarget.value })}
        />
      )}
      {shown.way === 'tailscale' && <TailscaleFields choice={choice} port={port} />}
      {shown.way === 'hand' && (
        <NamedFields shown={shown} port={port} tokenKept={tokenKept} problems={problems} onChange={change} />
      )}
      {isByTunnel(shown.way) && <CloudflaredFields shown={shown} problems={problems} onChange={change} />}
    </>
  );
}

/** Warns where command-line options decide how the web reaches Porchlight, whatever is chosen here. */
function FlagsNote({ flags: { baseUrl, tunnel } }: { flags: Status['flags'] }): ReactElement | null {
  const parts = [
    ...(baseUrl ? [flagsWords.baseUrl] : []),
    ...(tunnel === null ? [] : [flagsWords.tunnel[tunnel]]),
  ];
  if (parts.length === 0) return null;
  return (
    <WarningNote>
      <b>{flagsWords.heading}</b> {flagsWords.explanation(parts)}
    </WarningNote>
  );
}

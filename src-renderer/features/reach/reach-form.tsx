import { Anchor, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import type { Status } from '../../../src-main/contract/status.ts';
import type { TunnelStatus } from '../../../src-main/contract/reach.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import shared from '../../ui/shared.module.css';
import { Loaded } from '../../ui/states.tsx';
import { CloudflareCard } from '../cloudflare/cloudflare-card.tsx';
import { SetupForm } from '../cloudflare/setup-form.tsx';
import { useCloudflare } from '../cloudflare/use-cloudflare.ts';
import { useSetupDraft } from '../cloudflare/use-setup-draft.ts';
import { cardWords, handWords } from '../cloudflare/words.ts';
import { SaveRow } from '../settings/save-row.tsx';
import { SelfTest } from '../setup/self-test.tsx';
import { CloudflaredFields } from './cloudflared-fields.tsx';
import { FlagsNote } from './flags-note.tsx';
import { NamedFields } from './named-fields.tsx';
import {
  cloudflaredPatch,
  isByTunnel,
  patchOf,
  problemsOf,
  reachDraft,
  tokenTyped,
  type ReachDraft,
} from './reach-choice.ts';
import { TailscaleFields } from './tailscale-fields.tsx';
import { TunnelNow } from './tunnel-now.tsx';
import { proxyWords, reachWords, wayWords } from './words.ts';

interface Props {
  /**
   * In the set-up: called when there is a public address, because a tunnel is connected or the owner's own address is
   * saved. The set-up has a test of its own, and suggests a way.
   */
  readonly onReady?: () => void;
}

/** How the web reaches this computer: the choice, what it needs, and the state of the tunnel. */
export function ReachForm({ onReady }: Props): ReactElement {
  const settings = useAnswer('settings.get', {});
  const kept = useAnswer('secrets.hasTunnelToken', {});
  const tunnel = useAnswer('tunnel.status', {});
  const status = useAnswer('status.get', {}).data;
  return (
    <Loaded query={settings} what={reachWords.reading.settings}>
      {(all) => (
        <Loaded query={kept} what={reachWords.reading.token}>
          {({ stored }) => (
            <Loaded query={tunnel} what={reachWords.reading.tunnel}>
              {(now) => (
                <Form
                  saved={all}
                  tokenKept={stored}
                  now={now}
                  flags={status?.flags ?? noFlags}
                  port={status?.port ?? usualPort}
                  onReady={onReady}
                />
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

type Saved = Pick<Settings, 'tunnel' | 'cloudflared'>;

const draftOf = ({ tunnel, cloudflared }: Saved): ReachDraft => reachDraft(tunnel, cloudflared);

interface FormProps extends Props {
  readonly saved: Saved;
  readonly tokenKept: boolean;
  readonly now: TunnelStatus;
  readonly flags: Status['flags'];
  readonly port: number;
  readonly onReady: (() => void) | undefined;
}

function Form({ saved, tokenKept, now, flags, port, onReady }: FormProps): ReactElement {
  const inSetup = onReady !== undefined;
  const [draft, setDraft] = useState<Partial<ReachDraft>>(() =>
    inSetup && draftOf(saved).way === 'off' ? { way: 'named' } : {},
  );
  const [judged, setJudged] = useState(false);
  const [handChosen, setHandChosen] = useState<boolean | null>(null);
  const cloudflare = useCloudflare();
  const setup = useSetupDraft();
  const saveToken = useAction('secrets.setTunnelToken');
  const save = useAction('settings.update');
  useReady(now.state === 'connected' || ['proxy', 'tailscale'].includes(draftOf(saved).way), onReady);

  const shown = { ...draftOf(saved), ...draft };
  const { state, status } = cloudflare;
  const isSetUp = state === 'ready' || state === 'working';
  const byHand = !isSetUp && (handChosen ?? (state !== 'unfinished' && saved.tunnel.mode === 'named'));
  // Nothing is left to save here: the setup at Cloudflare saves the address itself.
  const byToken = shown.way === 'named' && !byHand && state !== 'ready';
  // The next setup begins with a token again.
  if (state === 'ready' && setup.draft.connected !== null) setup.change({ connected: null });
  const problems = problemsOf(shown, tokenKept);
  const change = (changes: Partial<ReachDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const reset = () => {
    setDraft({});
    setJudged(false);
  };
  const saveRest = () =>
    save.mutate({ tunnel: patchOf(shown), ...cloudflaredPatch(draft) }, { onSuccess: reset });
  const submit = () => {
    const sound = Object.keys(problems).length === 0;
    setJudged(!sound);
    if (!sound) return;
    const token = shown.way === 'named' ? tokenTyped(shown.token) : undefined;
    // The token goes first: saving the settings starts the tunnel.
    if (token === undefined) saveRest();
    else saveToken.mutate({ token }, { onSuccess: saveRest });
  };
  const saving = {
    isPending: save.isPending || saveToken.isPending,
    isSuccess: save.isSuccess,
    error: saveToken.error ?? save.error,
  };

  return (
    <Stack>
      <FlagsNote flags={flags} />
      <CloudflareCard cloudflare={cloudflare} withLinks={!inSetup} />
      {!inSetup && state === 'ready' && ['setUp', 'resume'].includes(cloudflare.done ?? '') && (
        <div role="group" aria-label={cardWords.testTitle} className={shared.card}>
          <SelfTest atOnce foldWarnings />
        </div>
      )}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <Radio.Group
            aria-label={reachWords.group}
            value={shown.way}
            onChange={(value) => change({ way: wayWords.find((way) => way.value === value)?.value ?? 'off' })}
          >
            <Stack gap="xs">
              {wayWords.map(({ value, label, lines }) => (
                <Radio
                  key={value}
                  color="var(--porchlight-tick)"
                  value={value}
                  label={label}
                  description={lines.map((line) => (
                    <Text key={line} component="span" inherit display="block">
                      {line}
                    </Text>
                  ))}
                />
              ))}
            </Stack>
          </Radio.Group>
          {shown.way === 'proxy' && (
            <TextInput
              label={proxyWords.label}
              description={proxyWords.description(port)}
              placeholder={proxyWords.placeholder}
              type="url"
              maxLength={2048}
              value={shown.publicUrl}
              error={judged && problems.publicUrl}
              onChange={(event) => change({ publicUrl: event.currentTarget.value })}
            />
          )}
          {shown.way === 'tailscale' && (
            <TailscaleFields
              value={shown.funnelUrl}
              port={port}
              problem={judged ? problems.funnelUrl : undefined}
              onChange={(funnelUrl) => change({ funnelUrl })}
            />
          )}
          {shown.way === 'named' && byHand && (
            <NamedFields
              shown={shown}
              port={port}
              tokenKept={tokenKept}
              problems={judged ? problems : {}}
              onChange={change}
            />
          )}
          {isByTunnel(shown.way) && !byToken && (
            <CloudflaredFields shown={shown} problems={judged ? problems : {}} onChange={change} />
          )}
          {!byToken && <SaveRow changed={isChanged(draft, saved)} save={saving} onDiscard={reset} />}
        </Stack>
      </form>
      {byToken && state !== 'unfinished' && state !== 'working' && (
        <Loaded query={status} what={cardWords.loading}>
          {() => <SetupForm cloudflare={cloudflare} {...setup} />}
        </Loaded>
      )}
      {shown.way === 'named' && !isSetUp && (
        <div>
          <Anchor
            component="button"
            type="button"
            size="sm"
            underline="always"
            c="inherit"
            onClick={() => setHandChosen(!byHand)}
          >
            {byHand ? handWords.byToken : handWords.byHand}
          </Anchor>
        </div>
      )}
      {(flags.tunnel ?? saved.tunnel.mode) !== 'off' && <TunnelNow now={now} isManaged={state === 'ready'} />}
    </Stack>
  );
}

function isChanged(draft: Partial<ReachDraft>, saved: Saved): boolean {
  const before = draftOf(saved);
  return Object.entries(draft).some(([name, value]) => before[name as keyof ReachDraft] !== value);
}

/** Calls `onReady` when `isReady` becomes true, and where it is true at first. */
function useReady(isReady: boolean, onReady: (() => void) | undefined): void {
  const latest = useRef(onReady);
  useEffect(() => {
    latest.current = onReady;
  });
  useEffect(() => {
    if (isReady) latest.current?.();
  }, [isReady]);
}

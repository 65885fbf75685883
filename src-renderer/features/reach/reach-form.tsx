import { Radio, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import type { Status } from '../../../src-main/contract/status.ts';
import type { TunnelStatus } from '../../../src-main/contract/tunnel.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Loaded } from '../../ui/states.tsx';
import { SaveRow } from '../settings/save-row.tsx';
import { FlagsNote } from './flags-note.tsx';
import { NamedFields } from './named-fields.tsx';
import { draftOf, patchOf, problemsOf, tokenTyped, type ReachDraft, type Way } from './reach-choice.ts';
import { TunnelNow } from './tunnel-now.tsx';

interface Props {
  /** Called when there is a public address: a tunnel stands, or the address of one's own proxy is saved. */
  readonly onReady?: () => void;
}

/** How the world reaches this computer: the choice, what it needs, and how it goes. */
export function ReachForm({ onReady }: Props): ReactElement {
  const settings = useAnswer('settings.get', {});
  const kept = useAnswer('secrets.hasTunnelToken', {});
  const tunnel = useAnswer('tunnel.status', {});
  const flags = useAnswer('status.get', {}).data?.flags ?? noFlags;
  return (
    <Loaded query={settings} what="how you are reached">
      {(all) => (
        <Loaded query={kept} what="whether a token is kept">
          {({ stored }) => (
            <Loaded query={tunnel} what="how the tunnel is">
              {(now) => (
                <Form saved={all.tunnel} tokenKept={stored} now={now} flags={flags} onReady={onReady} />
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

const noFlags: Status['flags'] = { baseUrl: false, tunnel: null };

const ways: readonly { value: Way; label: string; description: string }[] = [
  {
    value: 'named',
    label: 'A Cloudflare tunnel with a name of your own',
    description:
      'The way to stay: a free Cloudflare account, and a domain that is there. The address stays the same.',
  },
  {
    value: 'quick',
    label: 'A quick tunnel, to try it out',
    description: 'No account needed. The address changes at every start, so apps forget you.',
  },
  {
    value: 'proxy',
    label: 'A reverse proxy of your own',
    description: 'Something of yours brings a public address to Porchlight’s port on this computer.',
  },
  { value: 'off', label: 'Not at all', description: 'Only programs on this computer reach Porchlight.' },
];

interface FormProps extends Props {
  readonly saved: Settings['tunnel'];
  readonly tokenKept: boolean;
  readonly now: TunnelStatus;
  readonly flags: Status['flags'];
  readonly onReady: (() => void) | undefined;
}

function Form({ saved, tokenKept, now, flags, onReady }: FormProps): ReactElement {
  const [draft, setDraft] = useState<Partial<ReachDraft>>({});
  const [judged, setJudged] = useState(false);
  const saveToken = useAction('secrets.setTunnelToken');
  const save = useAction('settings.update');
  useReady(now.state === 'connected' || draftOf(saved).way === 'proxy', onReady);

  const shown = { ...draftOf(saved), ...draft };
  const problems = problemsOf(shown, tokenKept);
  const change = (changes: Partial<ReachDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const startAnew = () => {
    setDraft({});
    setJudged(false);
  };
  const saveRest = () => save.mutate({ tunnel: patchOf(shown) }, { onSuccess: startAnew });
  const submit = () => {
    const sound = Object.keys(problems).length === 0;
    setJudged(!sound);
    if (!sound) return;
    const token = shown.way === 'named' ? tokenTyped(shown.token) : undefined;
    // The token first: with the settings the tunnel is started.
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
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <Radio.Group
            aria-label="How you are reached"
            value={shown.way}
            onChange={(value) => change({ way: ways.find((way) => way.value === value)?.value ?? 'off' })}
          >
            <Stack gap="xs">
              {ways.map((way) => (
                <Radio key={way.value} color="var(--porchlight-tick)" {...way} />
              ))}
            </Stack>
          </Radio.Group>
          {shown.way === 'proxy' && (
            <TextInput
              label="Your public address"
              description="The proxy has to hand on the name that was asked for (the Host header)."
              placeholder="https://porch.example.com"
              type="url"
              maxLength={2048}
              value={shown.publicUrl}
              error={judged && problems.publicUrl}
              onChange={(event) => change({ publicUrl: event.currentTarget.value })}
            />
          )}
          {shown.way === 'named' && (
            <NamedFields
              shown={shown}
              tokenKept={tokenKept}
              problems={judged ? problems : {}}
              onChange={change}
            />
          )}
          <SaveRow changed={isChanged(draft, saved)} save={saving} onDiscard={startAnew} />
        </Stack>
      </form>
      {(flags.tunnel ?? saved.mode) !== 'off' && <TunnelNow now={now} />}
    </Stack>
  );
}

function isChanged(draft: Partial<ReachDraft>, saved: Settings['tunnel']): boolean {
  const before = draftOf(saved);
  return Object.entries(draft).some(([name, value]) => before[name as keyof ReachDraft] !== value);
}

/** Calls `onReady` when `isReady` becomes true, or is so at the beginning. */
function useReady(isReady: boolean, onReady: (() => void) | undefined): void {
  const latest = useRef(onReady);
  useEffect(() => {
    latest.current = onReady;
  });
  useEffect(() => {
    if (isReady) latest.current?.();
  }, [isReady]);
}

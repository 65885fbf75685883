import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tailscale } from '../../../src-main/contract/reach.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction, useClient } from '../../client/queries.ts';
import {
  cloudflaredPatch,
  goalOf,
  originTyped,
  patchOf,
  problemsOf,
  reachDraft,
  tokenTyped,
  type ReachDraft,
  type ReachGoal,
} from './reach-choice.ts';
import type { Way } from './words.ts';

export type SavedReach = Pick<Settings, 'tunnel' | 'cloudflared'>;

interface Options {
  readonly saved: SavedReach;
  readonly tokenKept: boolean;
  /** True if Porchlight set up the named tunnel at Cloudflare, or is about to. */
  readonly isManaged: boolean;
  /** The way that the form shows while nothing is chosen. */
  readonly suggested: Way | undefined;
  /** Called once the choice is saved. `isNew`: whether anything had to be saved. */
  readonly onSaved: (goal: ReachGoal, isNew: boolean) => void;
}

/** Keeps what the owner chooses about their public address, checks it, and saves it. */
export function useReachChoice({ saved, tokenKept, isManaged, suggested, onSaved }: Options) {
  const before = reachDraft(saved.tunnel, saved.cloudflared, isManaged);
  const [draft, setDraft] = useState<Partial<ReachDraft>>(() =>
    suggested !== undefined && before.way === 'off' ? { way: suggested } : {},
  );
  const [judged, setJudged] = useState(false);
  const tailscale = useTailscale((draft.way ?? before.way) === 'tailscale');
  const offered = tailscale.data?.name ? `https://${tailscale.data.name}` : null;
  const funnel = useAction('setup.startFunnel');
  const saveToken = useAction('secrets.setTunnelToken');
  const save = useAction('settings.update');
  const isOffered = before.funnelUrl === '' && offered !== null;
  const shown = { ...before, ...(isOffered && { funnelUrl: offered }), ...draft };
  const problems = problemsOf(shown, tokenKept);
  const isChanged = Object.entries(draft).some(([name, value]) => before[name as keyof ReachDraft] !== value);
  const reset = () => {
    setDraft({});
    setJudged(false);
    funnel.reset();
  };

  // Porchlight starts Funnel only for its own address. After a failure, the owner has started it in a terminal.
  const startsFunnel =
    shown.way === 'tailscale' &&
    offered !== null &&
    originTyped(shown.funnelUrl) === offered &&
    originTyped(before.funnelUrl) !== offered &&
    funnel.error === null;

  const submit = async () => {
    const isSound = Object.keys(problems).length === 0;
    setJudged(!isSound);
    if (!isSound) return;
    if (startsFunnel && (await funnel.mutateAsync({})).state === 'consent') return;
    const token = shown.way === 'hand' ? tokenTyped(shown.token) : undefined;
    // The token goes first: saving the settings starts the tunnel.
    if (token !== undefined) await saveToken.mutateAsync({ token });
    if (isChanged) {
      await save.mutateAsync({ tunnel: patchOf(shown), ...cloudflaredPatch(draft) });
      reset();
    }
    onSaved(goalOf(shown), isChanged);
  };

  return {
    shown,
    before,
    isChanged,
    problems: judged ? problems : {},
    tailscale,
    startsFunnel,
    funnel,
    change: (changes: Partial<ReachDraft>) => setDraft((earlier) => ({ ...earlier, ...changes })),
    reset,
    // Each call shows its own error.
    submit: () => void submit().catch(() => undefined),
    saving: {
      isPending: save.isPending || saveToken.isPending || funnel.isPending,
      isSuccess: save.isSuccess,
      error: saveToken.error ?? save.error,
    },
  };
}

/** Returns what Tailscale on this computer says. `isAsked`: false while nothing needs it, because a program answers. */
export function useTailscale(isAsked: boolean): UseQueryResult<Tailscale> {
  const client = useClient();
  return useQuery({
    queryKey: ['setup.tailscale', {}],
    queryFn: () => client.call('setup.tailscale', {}),
    enabled: isAsked,
  });
}

export type ReachChoice = ReturnType<typeof useReachChoice>;

import { useState } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';

type Part = 'profile' | 'signIn' | 'micropub' | 'webmention' | 'tunnel';

/** A form on one part of the settings. What is typed stays a draft until it is saved. */
export interface SettingsForm<P extends Part> {
  /** What is saved, with the draft over it. */
  readonly shown: Settings[P];
  readonly draft: Partial<Settings[P]>;
  /** Goes up where the form starts anew: inputs with a state of their own take it as their key. */
  readonly round: number;
  readonly change: (changes: Partial<Settings[P]>) => void;
  /** Saves the draft, or what it comes to. */
  readonly submit: (patch?: Partial<Settings[P]>) => void;
  /** Goes back to what is saved. */
  readonly discard: () => void;
  readonly save: { readonly isPending: boolean; readonly isSuccess: boolean; readonly error: Error | null };
  readonly clearError: () => void;
}

/** The state of a form on the part of the settings called `part`, which is saved as `saved`. */
export function useSettingsForm<P extends Part>(part: P, saved: Settings[P]): SettingsForm<P> {
  const [draft, setDraft] = useState<Partial<Settings[P]>>({});
  const [round, setRound] = useState(0);
  const save = useAction('settings.update');
  const startAnew = () => {
    setDraft({});
    setRound((before) => before + 1);
  };
  return {
    shown: { ...saved, ...draft },
    draft,
    round,
    change: (changes) => setDraft((before) => ({ ...before, ...changes })),
    submit: (patch = draft) => save.mutate({ [part]: patch }, { onSuccess: startAnew }),
    discard: () => {
      startAnew();
      save.reset();
    },
    save,
    clearError: () => save.reset(),
  };
}

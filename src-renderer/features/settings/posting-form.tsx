import { NumberInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { crossPostingServices } from '../../../src-main/contract/posts.ts';
import { settingAreas, type Settings } from '../../../src-main/contract/settings.ts';
import { isBridge, NamedRows, rowsProblem, trimmed, type NamedRow } from './named-rows.tsx';
import { settingProps } from './setting-field.tsx';
import { AreaForm, useSettingsForm } from './settings-form.tsx';

type MicropubSettings = Settings['micropub'];

const rows = settingAreas.micropub;

const words = {
  channel: { one: 'channel', uidLabel: 'ID', uidPlaceholder: 'notes' },
  target: {
    one: 'target',
    uidLabel: 'ID, often a web address',
    uidPlaceholder: 'https://service.example/',
  },
  limitMissing: 'Enter how large a file may be.',
};

const megabyte = 1_000_000;
const largest = 1_000_000;

/** Returns the targets of the form and, if it is on, Bridgy Fed, which the form doesn't show. */
function withBridge(targets: readonly NamedRow[], { syndicateTo }: MicropubSettings): NamedRow[] {
  return targets.some(isBridge) ? [...targets] : [...targets, ...syndicateTo.filter(isBridge)];
}

/** Sets what Porchlight offers to apps that post, and what they may upload. */
export function PostingForm({ micropub }: { micropub: MicropubSettings }): ReactElement {
  const form = useSettingsForm('micropub', micropub);
  const { shown, draft, judged, change } = form;
  // An empty field is a draft of 0, which can't be saved.
  const limitProblem = shown.mediaLimitBytes > 0 ? undefined : words.limitMissing;
  return (
    <AreaForm
      page="posting"
      form={form}
      problems={{
        channels: rowsProblem(shown.channels),
        syndicateTo: rowsProblem(shown.syndicateTo),
        mediaLimitBytes: limitProblem,
      }}
      tidied={{
        ...draft,
        ...(draft.channels && { channels: trimmed(draft.channels) }),
        ...(draft.syndicateTo && { syndicateTo: withBridge(trimmed(draft.syndicateTo), micropub) }),
      }}
      fields={{
        channels: (
          <NamedRows
            {...settingProps('posting', 'channels', rows.channels)}
            {...words.channel}
            rows={shown.channels}
            judged={judged}
            onChange={(channels) => change({ channels })}
          />
        ),
        syndicateTo: (
          <NamedRows
            {...settingProps('posting', 'syndicateTo', rows.syndicateTo)}
            {...words.target}
            rows={draft.syndicateTo ?? shown.syndicateTo.filter((row) => !isBridge(row))}
            offers={crossPostingServices.filter((row) => !isBridge(row))}
            judged={judged}
            onChange={(syndicateTo) => change({ syndicateTo })}
          />
        ),
        mediaLimitBytes: (
          <NumberInput
            key={form.round}
            {...settingProps('posting', 'mediaLimitBytes', rows.mediaLimitBytes)}
            maw={360}
            min={0.01}
            max={largest}
            decimalScale={2}
            allowNegative={false}
            thousandSeparator=" "
            clampBehavior="blur"
            defaultValue={shown.mediaLimitBytes / megabyte}
            error={judged && limitProblem}
            onChange={(amount) => {
              const isSize = typeof amount === 'number' && amount > 0 && amount <= largest;
              change({ mediaLimitBytes: isSize ? Math.round(amount * megabyte) : 0 });
            }}
          />
        ),
      }}
    />
  );
}

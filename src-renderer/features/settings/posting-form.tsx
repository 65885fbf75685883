import { NumberInput, Switch, TagsInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { FormFrame } from './form-frame.tsx';
import { areSound, trimmed } from './named-row.ts';
import { NamedRows } from './named-rows.tsx';
import { useSettingsForm } from './use-settings-form.ts';

type MicropubSettings = Settings['micropub'];

const megabyte = 1_000_000;
const largest = 1_000_000;

/** What apps that post are told: categories, channels, other places; and what they may send. */
export function PostingForm({ micropub }: { micropub: MicropubSettings }): ReactElement {
  const form = useSettingsForm('micropub', micropub);
  const [judged, setJudged] = useState(false);
  const [limitMissing, setLimitMissing] = useState(false);
  const { shown, draft, change } = form;

  const submit = () => {
    const sound = areSound(shown.channels) && areSound(shown.syndicateTo) && !limitMissing;
    setJudged(!sound);
    if (!sound) return;
    form.submit({
      ...draft,
      ...(draft.channels && { channels: trimmed(draft.channels) }),
      ...(draft.syndicateTo && { syndicateTo: trimmed(draft.syndicateTo) }),
    });
  };
  const discard = () => {
    form.discard();
    setJudged(false);
    setLimitMissing(false);
  };

  return (
    <FormFrame form={form} unsound={limitMissing} onSubmit={submit} onDiscard={discard}>
      <TagsInput
        label="Categories"
        description="Apps suggest them while you write. Those that your posts have are suggested anyway. Enter adds one."
        placeholder={shown.categories.length === 0 ? 'garden, walks, …' : undefined}
        value={shown.categories}
        maxTags={10_000}
        acceptValueOnBlur
        onChange={(categories) =>
          change({
            categories: categories.map((one) => one.trim().slice(0, 200)).filter((one) => one !== ''),
          })
        }
      />
      <NamedRows
        label="Channels"
        description="Parts of your site that an app can post into."
        one="channel"
        uidLabel="Its uid"
        uidPlaceholder="notes"
        rows={shown.channels}
        judged={judged}
        onChange={(channels) => change({ channels })}
      />
      <NamedRows
        label="Places to pass posts on to"
        description="Apps offer them beside a post, and the post then says that it should go there."
        one="place"
        uidLabel="Its uid, often an address"
        uidPlaceholder="https://social.example/@you"
        rows={shown.syndicateTo}
        judged={judged}
        onChange={(syndicateTo) => change({ syndicateTo })}
      />
      <NumberInput
        key={form.round}
        label="Largest file that an app may send, in MB"
        description="100 MB is what a free Cloudflare plan lets through."
        w={360}
        min={0.01}
        max={largest}
        decimalScale={2}
        allowNegative={false}
        thousandSeparator=" "
        clampBehavior="blur"
        defaultValue={shown.mediaLimitBytes / megabyte}
        error={judged && limitMissing ? 'Say how large a file may be.' : undefined}
        onChange={(amount) => {
          const sound = typeof amount === 'number' && amount > 0 && amount <= largest;
          setLimitMissing(!sound);
          if (sound) change({ mediaLimitBytes: Math.round(amount * megabyte) });
        }}
      />
      <Switch
        label="Remove place and camera details from photos"
        description="A photo from a phone often tells where it was taken. How it looks stays the same."
        checked={shown.removePhotoMetadata}
        onChange={(event) => change({ removePhotoMetadata: event.currentTarget.checked })}
      />
    </FormFrame>
  );
}

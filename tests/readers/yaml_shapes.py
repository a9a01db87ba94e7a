"""YAML as real projects write it (each shape stands for many files), for the tests of the reader and of the writer."""

from __future__ import annotations

from loaderlint.model.source import Language, Source

COMPVIS = """\
model:
  base_learning_rate: 1.0e-06
  target: ldm.models.diffusion.ddpm.LatentDiffusion
data:
  target: main.DataModuleFromConfig
  params:
    batch_size: 12
    num_workers: 8  # per GPU
    wrap: false
    train:
      target: ldm.data.imagenet.ImageNetTrain
"""

HYDRA = """\
# @package _global_

defaults:
  - override /data: mnist.yaml
  - _self_

data:
  _target_: src.data.mnist_datamodule.MNISTDataModule
  data_dir: ${paths.data_dir}
  batch_size: 128 # Needs to be divisible by the number of devices
  num_workers: 4
  pin_memory: False
  persistent_workers: true
"""

SPEECHBRAIN = """\
seed: 1234
__set_seed: !apply:torch.manual_seed [!ref <seed>]
num_workers: 4
batch_size: !PLACEHOLDER
train_dataloader_opts:
    batch_size: !ref <batch_size>
    num_workers: !ref <num_workers>
    prefetch_factor: 2
modules: !new:speechbrain.nnet.Linear
    n_neurons: !ref <seed> * 2 # no comment inside
opts: {num_workers: !ref <num_workers>, drop_last: True}
"""

NEMO = """\
name: "QuartzNet15x5"
model:
  labels: &labels [" ", "a", "b", "c", "'"]
  train_ds:
    manifest_filepath: ???
    labels: *labels
    batch_size: 32
    dataloader_params:
      num_workers: 4
      prefetch_factor: 16
"""

YACS = """\
DATALOADER:
  NUM_WORKERS: 0
  SAMPLER: "RandomIdentitySampler"
SOLVER:
  BASE_LR: 1e-4
  STEPS: (40, 70)
"""

OLMO = """\
run_name: olmo-7b
data:
  num_workers: 16
  drop_last: true
  pin_memory: true
  prefetch_factor: 8
  persistent_workers: true
  timeout: 0
  paths:
    - ${path.glob:/data/part-*.npy}
"""

LIGHTNING = """\
data:
  class_path: project.Data
  init_args: {batch_size: 32, num_workers: 8, prefetch_factor: 4}
"""

ANCHORS = """\
workers: &workers 8
loader: &loader
  num_workers: *workers
  prefetch_factor: 4
train:
  <<: *loader
  shuffle: true
val:
  <<: [*loader, {shuffle: false}]
  num_workers: 2
"""

FOLDED = """\
description: >-
  num_workers: 4 is not
  # a setting here

script: |+
  python train.py  # --workers 4

num_workers: 4
note: "two \\
  lines"
plain: several
  words
"""

MANY_DOCUMENTS = """\
%YAML 1.1
---
num_workers: 4
...
---
# nothing
---
num_workers: 2
"""

TWICE = """\
num_workers: 4
batch_size: 8
num_workers: 0
"""

LISTS = """\
loaders:
  - num_workers: 4
    prefetch_factor: 2
  -
  - name: val
    num_workers: '0'
empty:
tilde: ~
"""

SHAPES = {
    "CompVis": COMPVIS,
    "Hydra": HYDRA,
    "speechbrain": SPEECHBRAIN,
    "NeMo": NEMO,
    "yacs": YACS,
    "OLMo": OLMO,
    "Lightning": LIGHTNING,
    "anchors": ANCHORS,
    "folded": FOLDED,
    "many documents": MANY_DOCUMENTS,
    "twice": TWICE,
    "lists": LISTS,
}


def source(text: str) -> Source:
    """Return a YAML source with this text."""
    return Source("configs/train.yaml", "/project/configs/train.yaml", Language.YAML, text.encode())

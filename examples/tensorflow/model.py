# Pictures that are made, not downloaded, and a small network that tells them
# apart: stripes that lie, stand or lean, and a grid, under much noise.
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import tensorflow as tf

SIDE = 24
CLASSES = 4


def pictures(n, seed):
    """n pictures of SIDE by SIDE pixels, and of which class each is."""
    chance = np.random.default_rng(seed)
    classes = chance.integers(CLASSES, size=n)
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    along = np.stack([y, x, x + y, np.maximum(x % 6, y % 6)])[classes]
    shift = chance.uniform(0, 2 * np.pi, size=(n, 1, 1))
    stripes = np.sin(2 * np.pi * along / 6 + shift)
    noise = chance.normal(scale=2.0, size=stripes.shape)
    return (stripes + noise).astype("float32")[..., None], classes


def batches(n, seed, size):
    """Batches of that many pictures, one pass."""
    data = tf.data.Dataset.from_tensor_slices(pictures(n, seed))
    # Of pictures that are not in files each replica takes every n-th.
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = (
        tf.data.experimental.AutoShardPolicy.DATA)
    return data.batch(size, drop_remainder=True).with_options(options)


def network(units):
    """To be called in the scope of the strategy."""
    return tf.keras.Sequential([
        tf.keras.Input((SIDE, SIDE, 1)),
        tf.keras.layers.Conv2D(8, 5, activation="relu"),
        tf.keras.layers.MaxPooling2D(4),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(units, activation="relu"),
        tf.keras.layers.Dense(CLASSES),
    ])

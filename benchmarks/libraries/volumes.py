"""Networks of MONAI: medical images and volumes."""

from __future__ import annotations

from .catalog import Network, floats, ids

VOLUMES = {
    "UNet": Network(
        lambda m: m.UNet(3, 1, 2, (4, 8, 16), (2, 2), num_res_units=1), floats(1, 1, 16, 16, 16)
    ),
    "BasicUNet": Network(
        lambda m: m.BasicUNet(3, 1, 2, (4, 4, 8, 8, 8, 4)), floats(1, 1, 32, 32, 32)
    ),
    "AttentionUnet": Network(
        lambda m: m.AttentionUnet(2, 1, 2, (4, 8, 16), (2, 2)), floats(1, 1, 32, 32)
    ),
    "SegResNet": Network(
        lambda m: m.SegResNet(3, 8, 1, 2, blocks_down=(1, 1), blocks_up=(1,)),
        floats(1, 1, 16, 16, 16),
    ),
    "VNet": Network(lambda m: m.VNet(3, 1, 2), floats(1, 1, 16, 16, 16)),
    "UNETR": Network(
        lambda m: m.UNETR(
            1, 2, (32, 32, 32), feature_size=4, hidden_size=24, mlp_dim=32, num_heads=2
        ),
        floats(1, 1, 32, 32, 32),
    ),
    "SwinUNETR": Network(
        lambda m: m.SwinUNETR(
            in_channels=1,
            out_channels=2,
            feature_size=12,
            depths=(1, 1, 1, 1),
            num_heads=(1, 2, 2, 4),
        ),
        floats(1, 1, 64, 64, 64),
    ),
    "DynUNet": Network(
        lambda m: m.DynUNet(3, 1, 2, [3, 3, 3], [1, 2, 2], [2, 2], filters=[4, 8, 16]),
        floats(1, 1, 16, 16, 16),
    ),
    "DenseNet121": Network(
        lambda m: m.DenseNet(2, 1, 2, init_features=8, growth_rate=4, block_config=(2, 2)),
        floats(1, 1, 32, 32),
    ),
    "EfficientNet": Network(
        lambda m: m.EfficientNetBN(
            "efficientnet-b0", pretrained=False, spatial_dims=3, in_channels=1, num_classes=2
        ),
        floats(1, 1, 32, 32, 32),
    ),
    "HighResNet": Network(lambda m: m.HighResNet(3, 1, 2), floats(1, 1, 12, 12, 12)),
    "AHNet": Network(
        lambda m: m.AHNet(spatial_dims=2, out_channels=2, upsample_mode="bilinear"),
        floats(1, 1, 128, 128),
    ),
    "ViT": Network(
        lambda m: m.ViT(
            1, (16, 16, 16), (8, 8, 8), 24, 32, 2, 2, classification=True, num_classes=3
        ),
        floats(1, 1, 16, 16, 16),
    ),
    "ViTAutoEnc": Network(
        lambda m: m.ViTAutoEnc(
            1, (16, 16, 16), (4, 4, 4), hidden_size=24, mlp_dim=32, num_layers=2, num_heads=2
        ),
        floats(1, 1, 16, 16, 16),
    ),
    "AutoEncoder": Network(lambda m: m.AutoEncoder(2, 1, 1, (4, 8), (2, 2)), floats(1, 1, 16, 16)),
    "VarAutoEncoder": Network(
        lambda m: m.VarAutoEncoder(2, (1, 16, 16), 1, 4, (4, 8), (2, 2)), floats(1, 1, 16, 16)
    ),
    "Regressor": Network(
        lambda m: m.Regressor((1, 16, 16), (1,), (4, 8), (2, 2)), floats(1, 1, 16, 16)
    ),
    "TopologySearch": Network(
        lambda m: m.FlexibleUNet(1, 2, "efficientnet-b0", spatial_dims=2), floats(1, 1, 64, 64)
    ),
    "SegResNetDS": Network(
        lambda m: m.SegResNetDS(3, 8, 1, 2, blocks_down=(1, 2)), floats(1, 1, 16, 16, 16)
    ),
    "MedNeXt": Network(
        lambda m: m.MedNeXt(
            spatial_dims=3,
            init_filters=8,
            in_channels=1,
            out_channels=2,
            blocks_down=(1, 1, 1, 1),
            blocks_up=(1, 1, 1, 1),
            encoder_expansion_ratio=2,
            decoder_expansion_ratio=2,
            bottleneck_expansion_ratio=2,
        ),
        floats(1, 1, 32, 32, 32),
    ),
    "VoxelMorph": Network(
        lambda m: m.VoxelMorphUNet(2, 2, 8, (4, 4, 4, 4), (4, 4)), floats(1, 2, 32, 32)
    ),
    "GlobalNet": Network(lambda m: m.GlobalNet((16, 16, 16), 3, 2, 4, 2), floats(1, 2, 16, 16, 16)),
    "LocalNet": Network(
        lambda m: m.LocalNet(3, 2, 4, (0, 1, 2), out_channels=3), floats(1, 2, 16, 16, 16)
    ),
    "VQVAE": Network(
        lambda m: m.VQVAE(
            2,
            1,
            1,
            channels=(8, 8),
            num_res_channels=(8, 8),
            num_res_layers=1,
            num_embeddings=16,
            embedding_dim=8,
            downsample_parameters=((2, 4, 1, 1),) * 2,
            upsample_parameters=((2, 4, 1, 1, 0),) * 2,
        ),
        floats(1, 1, 16, 16),
    ),
    "DecoderOnly": Network(lambda m: m.DecoderOnlyTransformer(20, 16, 16, 2, 2), ids(20, 2, 9)),
    "TorchVisionFC": Network(
        lambda m: m.ResNetFeatures("resnet10", pretrained=False, spatial_dims=3, in_channels=1),
        floats(1, 1, 32, 32, 32),
    ),
    "HoVer": Network(
        lambda m: m.HoVerNet(mode="fast", in_channels=3, out_classes=3), floats(1, 3, 256, 256)
    ),
    "Quicknat": Network(
        lambda m: m.Quicknat(num_classes=3, num_channels=1, num_filters=8), floats(1, 1, 32, 32)
    ),
    "MILModel": Network(
        lambda m: m.MILModel(2, "att_trans", pretrained=False), floats(1, 2, 3, 64, 64)
    ),
}

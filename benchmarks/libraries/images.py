"""Networks of vit-pytorch and spandrel: images and their restoration."""

from __future__ import annotations

from .catalog import Network, floats, unit

SMALL = {
    "image_size": 32,
    "patch_size": 8,
    "num_classes": 5,
    "dim": 32,
    "depth": 2,
    "heads": 2,
    "mlp_dim": 32,
}
IMAGE, DAMAGED = floats(1, 3, 32, 32), unit(1, 3, 16, 16)

VISION_TRANSFORMERS = {
    "ViT": Network(lambda m: m.ViT(**SMALL), IMAGE),
    "SimpleViT": Network(lambda m: m.SimpleViT(**SMALL), floats(2, 3, 32, 32)),
    "register_tokens": Network(
        lambda m: m.simple_vit_with_register_tokens.SimpleViT(**SMALL), floats(2, 3, 32, 32)
    ),
    "deepvit": Network(lambda m: m.deepvit.DeepViT(**SMALL), IMAGE),
    "cait": Network(lambda m: m.cait.CaiT(**SMALL, cls_depth=1), IMAGE),
    "t2t": Network(
        lambda m: m.t2t.T2TViT(
            image_size=32,
            num_classes=5,
            dim=32,
            depth=2,
            heads=2,
            mlp_dim=32,
            t2t_layers=((7, 4), (3, 2)),
        ),
        IMAGE,
    ),
    "cct": Network(
        lambda m: m.cct.CCT(
            img_size=32,
            embedding_dim=32,
            n_conv_layers=2,
            num_layers=2,
            num_heads=2,
            mlp_ratio=1.0,
            num_classes=5,
        ),
        IMAGE,
    ),
    "cross": Network(
        lambda m: m.cross_vit.CrossViT(
            image_size=32,
            num_classes=5,
            depth=1,
            sm_dim=16,
            sm_patch_size=8,
            sm_enc_depth=1,
            sm_enc_heads=2,
            sm_enc_mlp_dim=32,
            lg_dim=24,
            lg_patch_size=16,
            lg_enc_depth=1,
            lg_enc_heads=2,
            lg_enc_mlp_dim=32,
            cross_attn_depth=1,
            cross_attn_heads=2,
        ),
        IMAGE,
    ),
    "pit": Network(
        lambda m: m.pit.PiT(
            image_size=32, patch_size=8, num_classes=5, dim=32, depth=(1, 1), heads=2, mlp_dim=32
        ),
        IMAGE,
    ),
    "levit": Network(
        lambda m: m.levit.LeViT(
            image_size=64, num_classes=5, stages=2, dim=(16, 32), depth=1, heads=(2, 2), mlp_mult=2
        ),
        floats(1, 3, 64, 64),
    ),
    "cvt": Network(
        lambda m: m.cvt.CvT(
            num_classes=5,
            s1_emb_dim=16,
            s1_depth=1,
            s2_emb_dim=16,
            s2_depth=1,
            s2_heads=2,
            s3_emb_dim=16,
            s3_depth=1,
            s3_heads=2,
        ),
        floats(1, 3, 64, 64),
    ),
    "twins": Network(
        lambda m: m.twins_svt.TwinsSVT(
            num_classes=5,
            s1_emb_dim=16,
            s1_patch_size=4,
            s1_local_patch_size=7,
            s1_global_k=7,
            s1_depth=1,
            s2_emb_dim=16,
            s2_depth=1,
            s3_emb_dim=16,
            s3_depth=1,
            s4_emb_dim=16,
            s4_depth=1,
        ),
        floats(1, 3, 224, 224),
    ),
    "regionvit": Network(
        lambda m: m.regionvit.RegionViT(
            dim=(16, 16, 32, 32), depth=(1, 1, 1, 1), window_size=7, num_classes=5
        ),
        floats(1, 3, 224, 224),
    ),
    "scalable": Network(
        lambda m: m.scalable_vit.ScalableViT(
            num_classes=5,
            dim=16,
            heads=(1, 2, 2, 2),
            depth=(1, 1, 1, 1),
            ssa_dim_key=(8, 8, 8, 8),
            reduction_factor=(8, 4, 2, 1),
            window_size=(16, 8, None, None),
            dropout=0.1,
        ),
        floats(1, 3, 256, 256),
    ),
    "sep": Network(
        lambda m: m.sep_vit.SepViT(
            num_classes=5, dim=16, dim_head=8, heads=(1, 2, 2, 2), depth=(1, 1, 1, 1), window_size=7
        ),
        floats(1, 3, 224, 224),
    ),
    "maxvit": Network(
        lambda m: m.max_vit.MaxViT(
            num_classes=5, dim_conv_stem=16, dim=16, dim_head=8, depth=(1, 1), window_size=7
        ),
        floats(1, 3, 112, 112),
    ),
    "nest": Network(
        lambda m: m.nest.NesT(
            image_size=32,
            patch_size=4,
            dim=16,
            heads=2,
            num_hierarchies=2,
            block_repeats=(1, 1),
            num_classes=5,
        ),
        IMAGE,
    ),
    "mobilevit": Network(
        lambda m: m.mobile_vit.MobileViT(
            image_size=(64, 64),
            dims=[16, 24, 32],
            channels=[8, 8, 16, 16, 16, 16, 24, 24, 32, 32, 32],
            num_classes=5,
        ),
        floats(1, 3, 64, 64),
    ),
    "xcit": Network(lambda m: m.xcit.XCiT(**SMALL, cls_depth=1), IMAGE),
    "vit3d": Network(
        lambda m: m.vit_3d.ViT(
            image_size=16,
            frames=4,
            image_patch_size=8,
            frame_patch_size=2,
            num_classes=5,
            dim=16,
            depth=1,
            heads=2,
            mlp_dim=16,
        ),
        floats(1, 3, 4, 16, 16),
    ),
    "cct3d": Network(
        lambda m: m.cct_3d.CCT(
            img_size=16,
            num_frames=4,
            embedding_dim=16,
            n_conv_layers=2,
            frame_kernel_size=3,
            kernel_size=3,
            stride=2,
            padding=1,
            pooling_kernel_size=3,
            pooling_stride=2,
            pooling_padding=1,
            num_layers=1,
            num_heads=2,
            mlp_ratio=1.0,
            num_classes=5,
        ),
        floats(1, 3, 4, 16, 16),
    ),
    "learnable_mem": Network(lambda m: m.learnable_memory_vit.ViT(**SMALL), IMAGE),
    "small": Network(lambda m: m.vit_for_small_dataset.ViT(**SMALL), IMAGE),
    "parallel": Network(lambda m: m.parallel_vit.ViT(**SMALL, num_parallel_branches=2), IMAGE),
    "rvt": Network(lambda m: m.rvt.RvT(**SMALL), IMAGE),
    "ats": Network(lambda m: m.ats_vit.ViT(**SMALL, max_tokens_per_depth=(16, 8)), IMAGE),
    "patchmerger": Network(
        lambda m: m.vit_with_patch_merger.ViT(
            image_size=32,
            patch_size=8,
            num_classes=5,
            dim=32,
            depth=4,
            heads=2,
            mlp_dim=32,
            patch_merge_layer=2,
            patch_merge_num_tokens=4,
        ),
        IMAGE,
    ),
    "normalized": Network(lambda m: m.normalized_vit.nViT(**SMALL, dim_head=16), IMAGE),
    "fft": Network(
        lambda m: m.simple_vit_with_fft.SimpleViT(
            image_size=32,
            patch_size=8,
            freq_patch_size=8,
            num_classes=5,
            dim=32,
            depth=1,
            heads=2,
            mlp_dim=32,
        ),
        IMAGE,
    ),
    "vit1d": Network(
        lambda m: m.vit_1d.ViT(
            seq_len=64, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=32
        ),
        floats(1, 3, 64),
    ),
    "navit": Network(
        lambda m: m.simple_vit_with_qk_norm.SimpleViT(
            image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=32
        ),
        IMAGE,
    ),
}
RESTORATION = {
    "ATD": Network(
        lambda m: m.architectures.ATD.__arch.atd_arch.ATD(
            img_size=16,
            embed_dim=24,
            depths=(2, 2),
            num_heads=(2, 2),
            window_size=8,
            category_size=32,
            num_tokens=8,
            reducted_dim=4,
            convffn_kernel_size=5,
            upscale=2,
            upsampler="pixelshuffle",
        ),
        DAMAGED,
    ),
    "SRVGGNetCompact": Network(
        lambda m: m.architectures.Compact.__arch.SRVGG.SRVGGNetCompact(num_feat=8, num_conv=2),
        DAMAGED,
    ),
    "DITN_Real": Network(
        lambda m: m.architectures.DITN.__arch.DITN_Real.DITN_Real(
            dim=12, ITL_blocks=1, SAL_blocks=1
        ),
        DAMAGED,
    ),
    "DRCT": Network(
        lambda m: m.architectures.DRCT.__arch.drct_arch.DRCT(
            img_size=16,
            embed_dim=24,
            depths=(2,),
            num_heads=(2,),
            window_size=8,
            upscale=2,
            upsampler="pixelshuffle",
            gc=8,
        ),
        DAMAGED,
    ),
    "DRUNet": Network(
        lambda m: m.architectures.DRUNet.__arch.network_unet.DRUNet(
            in_nc=3, out_nc=3, nc=[4, 8, 8, 16], nb=1
        ),
        DAMAGED,
    ),
    "DnCNN": Network(
        lambda m: m.architectures.DnCNN.__arch.network_dncnn.DnCNN(in_nc=3, out_nc=3, nc=8, nb=3),
        DAMAGED,
    ),
    "RRDBNet": Network(
        lambda m: m.architectures.ESRGAN.__arch.RRDB.RRDBNet(num_filters=8, num_blocks=1), DAMAGED
    ),
    "FDAT": Network(
        lambda m: m.architectures.FDAT.__arch.fdat.FDAT(
            embed_dim=24, num_groups=1, depth_per_group=2, num_heads=2, window_size=8
        ),
        DAMAGED,
    ),
    "FFTformer": Network(
        lambda m: m.architectures.FFTformer.__arch.fftformer_arch.FFTformer(
            dim=8, num_blocks=[1, 1, 1], num_refinement_blocks=1
        ),
        unit(1, 3, 32, 32),
    ),
    "GFPGANv1Clean": Network(
        lambda m: m.architectures.GFPGAN.__arch.gfpganv1_clean_arch.GFPGANv1Clean(
            out_size=32,
            num_style_feat=16,
            channel_multiplier=1,
            num_mlp=2,
            narrow=0.25,
            input_is_latent=True,
            different_w=True,
        ),
        unit(1, 3, 32, 32),
    ),
    "GRL": Network(
        lambda m: m.architectures.GRL.__arch.grl.GRL(
            img_size=16,
            embed_dim=24,
            upscale=2,
            upsampler="pixelshuffle",
            depths=[2],
            num_heads_window=[2],
            num_heads_stripe=[2],
            window_size=8,
            stripe_size=[8, 8],
            mlp_ratio=2,
        ),
        DAMAGED,
    ),
    "HAT": Network(
        lambda m: m.architectures.HAT.__arch.HAT.HAT(
            img_size=16,
            embed_dim=24,
            depths=(2,),
            num_heads=(2,),
            window_size=8,
            upscale=2,
            upsampler="pixelshuffle",
            compress_ratio=3,
            squeeze_factor=6,
        ),
        DAMAGED,
    ),
    "CIDNet": Network(
        lambda m: m.architectures.HVICIDNet.__arch.cidnet.CIDNet(
            channels=[8, 8, 16, 16], heads=[1, 2, 4, 8]
        ),
        DAMAGED,
    ),
    "KBNet_s": Network(
        lambda m: m.architectures.KBNet.__arch.kbnet_s.KBNet_s(
            width=8, middle_blk_num=1, enc_blk_nums=[1, 1], dec_blk_nums=[1, 1]
        ),
        DAMAGED,
    ),
    "LaMa": Network(
        lambda m: m.architectures.LaMa.__arch.LaMa.LaMa(in_nc=4),
        unit(1, 3, 64, 64),
        unit(1, 1, 64, 64),
    ),
    "MoSR": Network(
        lambda m: m.architectures.MoSR.__arch.mosr_arch.MoSR(n_block=2, dim=8), DAMAGED
    ),
    "NAFNet": Network(
        lambda m: m.architectures.NAFNet.__arch.NAFNet_arch.NAFNet(
            width=8, enc_blk_nums=[1, 1], dec_blk_nums=[1, 1]
        ),
        DAMAGED,
    ),
    "OmniSR": Network(lambda m: m.architectures.OmniSR.__arch.OmniSR.OmniSR(num_feat=16), DAMAGED),
    "PLKSR": Network(
        lambda m: m.architectures.PLKSR.__arch.PLKSR.PLKSR(dim=16, n_blocks=2), DAMAGED
    ),
    "RealPLKSR": Network(
        lambda m: m.architectures.PLKSR.__arch.RealPLKSR.RealPLKSR(dim=16, n_blocks=2), DAMAGED
    ),
    "UpCunet2x": Network(
        lambda m: m.architectures.RealCUGAN.__arch.upcunet_v3.UpCunet2x(), unit(1, 3, 40, 40)
    ),
    "UpCunet3x": Network(
        lambda m: m.architectures.RealCUGAN.__arch.upcunet_v3.UpCunet3x(), unit(1, 3, 40, 40)
    ),
    "UpCunet4x": Network(
        lambda m: m.architectures.RealCUGAN.__arch.upcunet_v3.UpCunet4x(), unit(1, 3, 40, 40)
    ),
    "RetinexFormer": Network(
        lambda m: m.architectures.RetinexFormer.__arch.retinexformer_arch.RetinexFormer(
            n_feat=8, stage=1
        ),
        DAMAGED,
    ),
    "SAFMN": Network(
        lambda m: m.architectures.SAFMN.__arch.safmn.SAFMN(dim=8, n_blocks=2), unit(1, 3, 32, 32)
    ),
    "SAFMN_BCIE": Network(
        lambda m: m.architectures.SAFMNBCIE.__arch.safmn_bcie.SAFMN_BCIE(dim=8, n_blocks=2),
        unit(1, 3, 32, 32),
    ),
    "Generator": Network(
        lambda m: m.architectures.SwiftSRGAN.__arch.SwiftSRGAN.Generator(
            num_channels=8, num_blocks=2
        ),
        DAMAGED,
    ),
    "Swin2SR": Network(
        lambda m: m.architectures.Swin2SR.__arch.Swin2SR.Swin2SR(
            img_size=16,
            embed_dim=24,
            depths=[2],
            num_heads=[2],
            window_size=8,
            upscale=2,
            upsampler="pixelshuffle",
        ),
        DAMAGED,
    ),
    "SwinIR": Network(
        lambda m: m.architectures.SwinIR.__arch.SwinIR.SwinIR(
            img_size=16,
            embed_dim=24,
            depths=[2],
            num_heads=[2],
            window_size=8,
            upscale=2,
            upsampler="pixelshuffle",
        ),
        DAMAGED,
    ),
    "Uformer": Network(
        lambda m: m.architectures.Uformer.__arch.Uformer.Uformer(
            img_size=64, embed_dim=8, depths=[1] * 9, win_size=8, modulator=True
        ),
        unit(1, 3, 128, 128),
    ),
}
